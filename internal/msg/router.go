package msg

// SkillNoRoute says why no skill was looked for.
const SkillNoRoute Key = "这次没有替你挑选 skill：%v" + or + "no skill was looked for this time: %v"
