package msg

// What is odd about the reply of an embeddings model.
const (
	EmbedCount    Key = "%[2]d 段文字得到了 %[1]d 个向量" + or + "embeddings: %d {vector|vectors} came for %d {text|texts}"
	EmbedMore     Key = "得到的向量超过 %d 个" + or + "embeddings: more than %d {vector|vectors} came"
	EmbedTwice    Key = "%[2]d 段文字得到了 %[1]d 个或更多向量，或其中一个重复" + or + "embeddings: the reply has %d or more vectors for %d {text|texts}, or one of them twice"
	EmbedLength   Key = "得到的向量有 %d 个数" + or + "embeddings: a vector of %d {number|numbers} came"
	EmbedLengths  Key = "得到的向量长度不一：%d 和 %d" + or + "embeddings: vectors of %d and of %d {number|numbers} came"
	EmbedAsked    Key = "要求 %d 维的向量，得到的是 %d 维；这个模型能缩短向量吗？" + or + "embeddings: vectors of %d {number|numbers} were asked for, one of %d came; can this model make them shorter?"
	EmbedZeros    Key = "得到的向量全是零" + or + "embeddings: a vector of zeros came"
	EmbedNumbers  Key = "向量超过 %d 个数，或其中有不是数的" + or + "embeddings: a vector has more than %d {number|numbers}, or one that is none"
	EmbedNone     Key = "得到的向量是 %q" + or + "embeddings: a vector is %q"
	EmbedHolds    Key = "向量里有 %q" + or + "embeddings: a vector holds %q"
	EmbedNoObject Key = "回复不是 JSON 对象：%q" + or + "embeddings: the reply is no JSON object: %q"
)
