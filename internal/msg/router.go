package msg

// Why a skill was not looked for, or in another way.
const (
	SkillNoRoute    Key = "这次没有替你挑选 skill：%v" + or + "no skill was looked for this time: %v"
	SkillOtherRoute Key = "向量模型不可用，改用本地 n-gram 挑选 skill：%v" + or + "no vectors from the embeddings model; skills are looked for by local n-grams: %v"
)
