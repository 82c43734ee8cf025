package wire

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"react-agent/agent"
)

// Refusal is what a vendor has against the attachments of a request.
type Refusal struct {
	// Sure says that its words speak of attachments. Without that a request is refused for a reason that is not told, or
	// for one that has nothing to do with them.
	Sure bool
	// SHA is the hash of the bytes at which the vendor points; "" is none. Place is the number of the attachment it names,
	// from 0 in the order of the request; -1 is none.
	SHA   string
	Place int
	// Most is how many it takes; -1 when that is not the matter, 0 when the number is not told.
	Most int
	// Kind is how the MIME type begins of those that its words are about; "" is any.
	Kind string
	// Blind says that the model takes none of this kind; Content, that it is what the picture shows that is refused. In both
	// cases no smaller one helps.
	Blind, Content bool
	// Bulk says that the request is too large as a whole.
	Bulk bool
}

// Refused reads from a failed call whether the attachments of its request may be the reason. False: they are not, or
// nothing is to be done about it.
func Refused(err *agent.ModelError) (Refusal, bool) {
	r := Refusal{Place: -1, Most: -1}
	text := ""
	if err.Err != nil {
		text = simple(err.Err.Error())
	}
	pointed, points := errors.AsType[*pointedError](err.Err)
	r.Blind = mentionsAny(text, blindWords())
	r.Sure = points || r.Blind || mentionsAny(text, attachmentWords())
	if !r.possible(err, text) {
		return r, false
	}
	r.Kind = kindIn(text)
	if mentionsAny(text, manyWords()) {
		r.Most = numberBehind(text)
	}
	r.Place = placeIn(text)
	if points {
		r.SHA = pointed.sha
	}
	return r, true
}

// possible reports whether a failure of this kind may be about attachments.
func (r *Refusal) possible(err *agent.ModelError, text string) bool {
	switch err.Kind {
	case agent.ErrBadRequest:
		return r.Sure || err.Status < 300 || err.Status == http.StatusBadRequest || err.Status == http.StatusUnprocessableEntity
	case agent.ErrContextLength:
		r.Bulk = err.Status == http.StatusRequestEntityTooLarge || mentionsAny(text, []string{"payload", "request size", "request body", "request entity", "total size"})
		return r.Bulk
	case agent.ErrContentFilter:
		r.Content = true
		return r.Sure
	case agent.ErrServer, agent.ErrAuth, agent.ErrInvalidResponse: // some say so with a status of their own
		return r.Sure && mentionsAny(text, complaintWords())
	case agent.ErrRateLimit, agent.ErrQuota, agent.ErrNetwork, agent.ErrTruncated, agent.ErrTimeout, agent.ErrConfig, agent.ErrInternal:
	}
	return false
}

// kindIn is the one kind of attachment that a text speaks of; "" when it is none, or several.
func kindIn(text string) string {
	found := ""
	for _, k := range []struct {
		kind  string
		words []string
	}{
		{"image/", []string{"image", "picture", "photo", "pixel", "vision", "图"}}, {"application/", []string{"pdf", "document"}}, {"audio/", []string{"audio", "音频"}},
	} {
		if mentionsAny(text, k.words) {
			if found != "" {
				return ""
			}
			found = k.kind
		}
	}
	return found
}

func mentionsAny(text string, patterns []string) bool {
	for _, p := range patterns {
		if says(text, p) {
			return true
		}
	}
	return false
}

// attachmentWords name what can be attached, in the words of errors: [simple] has made spaces of _ and -.
func attachmentWords() []string {
	return []string{
		"image", "picture", "photo", "pixel", "vision", "multimodal", "multi modal", "multi-modal", "pdf", "document", "audio", "attachment", "attached", "base64", "data uri", "data url",
		"data:", "inline data", "inlinedata", "inlined data", "mime", "media", "file data", "filedata", "input file", "upload", "jpeg", "png", "webp", "modality", "modalities", "mmproj",
		"图片", "图像", "图象", "照片", "文件", "附件", "多模态", "像素", "音频", "视觉",
	}
}

// complaintWords say what is wrong with one, for failures whose status says something else.
func complaintWords() []string {
	return []string{
		"not support", "unsupported", "no endpoints*support", "could not process", "unable to process", "cannot process", "failed to process", "fail to process", "failed to load", "failed to decode", "cannot decode", "could not decode",
		"cannot identify", "invalid", "not valid", "too large", "too big", "too many", "exceed", "illegal", "corrupt", "truncated", "incorrect padding", "malformed", "missing data required", "not a multimodal", "不支持", "解析失败", "无法", "过大", "超过", "格式",
	}
}

// blindWords say that the model takes no such thing at all.
func blindWords() []string {
	return []string{
		"support image input", "support image url", "not support image", "not support images", "support*image inputs", "image input is not supported", "image input not supported", "images are not supported", "image url is only supported",
		"not support vision", "not a vision model", "not a multimodal", "not multimodal", "does not support multimodal", "no vision support", "mmproj", "missing data required for image", "unknown variant image", "unknown variant input image", "unknown variant file", "unknown variant document", "expected text",
		"content must be a string", "content*should be a valid string", "cannot unmarshal array into*content", "invalid type: sequence, expected a string", "only text*supported", "text only model", "only supports text", "only support text",
		"not support pdf", "not support file", "not support document", "pdf input is not supported", "files are not supported", "documents are not supported", "not support audio", "audio input is not supported", "audio is not supported", "input modality*not supported", "modality is not enabled", "不支持图", "不支持多模态", "不支持视觉", "不支持文件",
	}
}

// manyWords say that there are too many.
func manyWords() []string {
	return []string{
		"too many image", "too many picture", "too many document", "too many file", "too many media", "too many attachment", "at most*image", "maximum of*image", "maximum number of image", "max number of image", "number of images*exceed", "images*exceeds the limit of", "images exceed",
		"more than*images", "up to*images", "limit*images per", "image limit", "at most*documents", "图片数量", "图片过多", "最多*图片", "张图片",
	}
}

// numberBehind finds how many are taken, in the words of too many. 0: that is not told.
func numberBehind(text string) int {
	for _, form := range []string{
		`(?:at most|maximum of|up to|more than|limit (?:is|of)|max(?:imum)?(?: number of images)?(?: is|:)?|最多\D{0,6}|不超过|上限为?) ?(\d{1,4})\b`,
		`\d+ ?(?:\+ ?\d+ ?)?> ?(\d{1,4})\b`,
	} {
		if m := regexp.MustCompile(form).FindStringSubmatch(text); m != nil {
			n, err := strconv.Atoi(m[1])
			if err == nil {
				return n
			}
		}
	}
	return 0
}

// placeIn reads the number of an attachment that a text names. Only words that count from 0 are taken at it.
func placeIn(text string) int {
	m := regexp.MustCompile(`(?:image|document|file)s? (?:at |with |of )?(?:index|position) (\d{1,3})\b`).FindStringSubmatch(text)
	if m == nil {
		return -1
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return -1
	}
	return n
}

// pointedError is what a vendor said, with the attachment that it points at.
type pointedError struct {
	text, sha string
}

// Error is the vendor's text.
func (e *pointedError) Error() string { return e.text }

// worded makes the error of what a vendor said. When its reply names a place in the request where an attachment stands, the
// error remembers which.
func worded(text string, reply, request []byte) error {
	if sha := pointedAt(reply, request); sha != "" {
		return &pointedError{text: text, sha: sha}
	}
	return errors.New(text)
}

// pointedAt finds the attachment of a request whose place a reply names: messages.3.content.1, input[0].content[2],
// contents[1].parts[0], and the same as the elements of a list.
func pointedAt(reply, request []byte) string {
	if len(request) == 0 {
		return ""
	}
	const between = `[^\w]{1,6}`
	path := regexp.MustCompile(`(messages|input|contents)` + between + `(\d{1,5})` + between + `(content|parts|output)` + between + `(\d{1,5})(?:` + between + `tool_result` + between + `content` + between + `(\d{1,5}))?`)
	for _, m := range path.FindAllSubmatch(reply, 8) {
		at := string(m[1]) + "." + string(m[2]) + "." + string(m[3]) + "." + string(m[4])
		block := gjson.GetBytes(request, at)
		if len(m[5]) > 0 {
			block = block.Get("content." + string(m[5]))
		}
		if sha := hashIn(block); sha != "" {
			return sha
		}
	}
	return ""
}

// hashIn is the hash of the bytes that a block carries; "" where it carries none.
func hashIn(block gjson.Result) string {
	text := longest(block, 0)
	if strings.HasPrefix(text, "data:") {
		_, text, _ = strings.Cut(text, ";base64,")
	}
	const short = 24 // a word is valid base64, too
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(text) < short {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// longest is the longest string in a block, which is its data if it has some.
func longest(block gjson.Result, depth int) (s string) {
	const deep = 6
	switch {
	case block.Type == gjson.String:
		return block.Str
	case block.IsObject() && depth < deep:
		block.ForEach(func(_, v gjson.Result) bool {
			if inner := longest(v, depth+1); len(inner) > len(s) {
				s = inner
			}
			return true
		})
	}
	return s
}
