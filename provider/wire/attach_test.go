package wire

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"react-agent/agent"
)

func blobPart(name, mime, data string) agent.Part {
	return agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{Name: name, MIME: mime, Data: []byte(data)}}
}

func TestSwapLeavesTheHistoryAlone(t *testing.T) {
	r := agent.Result{Parts: []agent.Part{agent.TextPart("r"), blobPart("c.png", "image/png", "3")}}
	msgs := []agent.Message{
		agent.TextMessage(agent.User, "hello"),
		{Role: agent.User, Parts: []agent.Part{agent.TextPart("see"), blobPart("a.png", "image/png", "1"), blobPart("b.png", "image/png", "2")}},
		{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &r}}},
	}
	var seen []string
	same := Swap(msgs, func(i int, p *agent.Part) *agent.Part {
		seen = append(seen, fmt.Sprint(i, p.Blob.Name))
		return nil
	})
	if &same[0] != &msgs[0] || !reflect.DeepEqual(seen, []string{"1a.png", "1b.png", "2c.png"}) {
		t.Errorf("seen %v", seen)
	}
	got := Swap(msgs, func(_ int, p *agent.Part) *agent.Part {
		if p.Blob.Name == "a.png" {
			return nil
		}
		text := agent.TextPart("no " + p.Blob.Name)
		return &text
	})
	if got[1].Parts[1].Blob == nil || got[1].Parts[2].Text != "no b.png" || got[2].Result().Parts[1].Text != "no c.png" {
		t.Errorf("got %+v", got)
	}
	if msgs[1].Parts[2].Blob == nil || r.Parts[1].Blob == nil || &got[0].Parts[0] != &msgs[0].Parts[0] {
		t.Error("the history was changed, or copied without need")
	}
	if Swap(nil, nil) != nil {
		t.Error("nothing became something")
	}
}

func TestReadable(t *testing.T) {
	for _, c := range []struct {
		info agent.ModelInfo
		part agent.Part
		want string // "" = the attachment itself
	}{
		{agent.ModelInfo{Vision: true}, blobPart("a.png", "image/png", "x"), ""},
		{agent.ModelInfo{}, blobPart("a.png", "image/png", "x"), "[a.png (image/png) is left out: this model is not known to see it]"},
		{agent.ModelInfo{Vision: true}, blobPart("a.pdf", "application/pdf", "x"), "[a.pdf (application/pdf) is left out: this model is not known to see it]"},
		{agent.ModelInfo{Files: true}, blobPart("a.pdf", "application/pdf", "x"), ""},
		{agent.ModelInfo{}, blobPart("a.txt", "text/plain", "words"), "a.txt\nwords"},
		{agent.ModelInfo{Vision: true}, blobPart("a.png", "image/png", ""), "[attachment a.png (image/png) is not available]"},
		{agent.ModelInfo{Vision: true}, agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", URI: "https://host/a.png"}}, ""},
	} {
		got := Readable(c.info, c.part.Blob)
		if c.want == "" && got != nil || c.want != "" && (got == nil || got.Text != c.want) {
			t.Errorf("%+v %s: %+v", c.info, c.part.Blob.Name, got)
		}
	}
}

// refusals are what vendors say.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   string // kind:flags, as flags gives it; "-" = not about attachments
	}{
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels"}}`, "sure image/"},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0.image.source.base64: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes"}}`, "sure image/"},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Could not process image"}}`, "sure image/"},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content.0.document.source.base64.data: The PDF specified was not valid."}}`, "sure application/"},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"A maximum of 100 PDF pages may be provided."}}`, "sure application/"},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Too many images and documents: 101 + 0 > 100"}}`, "sure most=100"},
		{400, `{"error":{"message":"Too many images in request. Max is 50","type":"invalid_request_error","code":"too_many_images"}}`, "sure image/ most=50"},
		{400, `{"object":"error","message":"At most 1 image(s) may be provided in one prompt.","type":"BadRequestError","param":null,"code":400}`, "sure image/ most=1"},
		{400, `{"error":{"message":"You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].","type":"invalid_request_error","param":null,"code":"invalid_image_format"}}`, "sure image/"},
		{400, `{"error":{"message":"Invalid base64 image_url.","type":"invalid_request_error","param":"messages.[1].content.[1].image_url","code":"invalid_base64"}}`, "sure image/"},
		{400, `{"error":{"message":"Invalid content type. image_url is only supported by certain models.","type":"invalid_request_error","param":"messages.[0].content.[1].type"}}`, "sure blind image/"},
		{404, `{"error":{"message":"No endpoints found that support image input","code":404}}`, "sure blind image/"},
		{400, `{"error":{"code":400,"message":"Unable to process input image. Please retry or report in the forum","status":"INVALID_ARGUMENT"}}`, "sure image/"},
		{400, `{"error":{"code":400,"message":"The document has no pages.","status":"INVALID_ARGUMENT"}}`, "sure application/"},
		{400, `{"error":{"code":400,"message":"Unsupported MIME type: image/tiff","status":"INVALID_ARGUMENT"}}`, "sure image/"},
		{400, `{"error":{"message":"Failed to deserialize the JSON body into the target type: messages[0]: unknown variant ` + "`image_url`, expected `text`" + `","type":"invalid_request_error"}}`, "sure blind image/"},
		{400, `{"error":{"message":"messages[1].content must be a string","type":"invalid_request_error"}}`, "sure blind"},
		{500, `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}`, "sure blind image/"},
		{500, `{"error":"this model is missing data required for image input"}`, "sure blind image/"},
		{400, `{"error":{"message":"Model does not support images. Please use a model that does."}}`, "sure blind image/"},
		{400, `{"code":"InvalidParameter","message":"<400> InternalError.Algo.InvalidParameter: The image length and width do not meet the model restrictions. [height:1 or width:1568 must be larger than 10]"}`, "sure image/"},
		{400, `{"error":{"message":"<400> Exceeded limit on max bytes per data-uri item : 10485760'","code":"invalid_parameter_error"}}`, "sure"},
		{400, `{"error":{"code":"1210","message":"图片输入格式/解析错误"}}`, "sure image/"},
		{400, `{"error":{"message":"Your request was rejected by our content safety system: the image may contain disallowed content","code":"image_content_policy_violation"}}`, "sure content image/"},
		{400, `{"error":{"message":"The image at index 2 is broken"}}`, "sure image/ place=2"},
		{413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, "bulk"},
		{400, `{"error":{"message":"invalid request"}}`, "maybe"},
		{422, `{"detail":"Unprocessable"}`, "maybe"},
		{404, `{"error":{"message":"The model gpt-9 does not exist"}}`, "-"},
		{401, `{"error":{"message":"Incorrect API key provided"}}`, "-"},
		{429, `{"error":{"message":"Rate limit reached for images per minute"}}`, "-"},
		{500, `{"error":{"message":"The server had an error"}}`, "-"},
		{400, `{"error":{"message":"This model's maximum context length is 128000 tokens","code":"context_length_exceeded"}}`, "-"},
	} {
		err := Classify(Failure{Status: c.status, Body: []byte(c.body)})
		r, ok := Refused(err)
		got := flags(r)
		if !ok {
			got = "-"
		}
		if got != c.want {
			t.Errorf("%d %.90s\n is %q, want %q (%v)", c.status, c.body, got, c.want, err)
		}
	}
	if _, ok := Refused(&agent.ModelError{Kind: agent.ErrNetwork, Err: errors.New("image")}); ok {
		t.Error("a connection that breaks is no refusal")
	}
}

func flags(r Refusal) string {
	var list []string
	add := func(set bool, s string) {
		if set {
			list = append(list, s)
		}
	}
	add(r.Sure, "sure")
	add(!r.Sure && !r.Bulk, "maybe")
	add(r.Bulk, "bulk")
	add(r.Blind, "blind")
	add(r.Content, "content")
	add(r.Kind != "", r.Kind)
	add(r.Most >= 0, fmt.Sprintf("most=%d", r.Most))
	add(r.Place >= 0, fmt.Sprintf("place=%d", r.Place))
	return strings.Join(list, " ")
}

// The place that a vendor names leads to the bytes that stand there, whatever the wire.
func TestPointedAt(t *testing.T) {
	data := []byte("the bytes of a picture")
	sum := sha256.Sum256(data)
	sha, b64 := hex.EncodeToString(sum[:]), base64.StdEncoding.EncodeToString(data)
	other := base64.StdEncoding.EncodeToString([]byte("another picture, longer than that"))
	chat := `{"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"a long text that is no data at all, truly"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + b64 + `"}}]}]}`
	claude := `{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"t"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + b64 + `"}}]},{"type":"image","source":{"data":"` + other + `"}}]}]}`
	responses := `{"input":[{"role":"user","content":[{"type":"input_file","filename":"abcdefghijklmnop","file_data":"data:application/pdf;base64,` + b64 + `"}]},{"type":"function_call_output","output":[{"type":"input_image","image_url":"data:image/png;base64,` + b64 + `"}]}]}`
	gemini := `{"contents":[{"role":"user","parts":[{"text":"x"},{"inlineData":{"mimeType":"image/png","data":"` + b64 + `"}}]}]}`
	for _, c := range []struct{ request, reply, want string }{
		{chat, `{"error":{"message":"bad","param":"messages.[1].content.[1].image_url"}}`, sha},
		{chat, `{"error":{"message":"bad","param":"messages[1].content[1].image_url.url"}}`, sha},
		{chat, `{"detail":[{"loc":["body","messages",1,"content",1,"image_url"],"msg":"bad"}]}`, sha},
		{chat, `{"error":{"message":"[{\"loc\":[\"body\",\"messages\",1,\"content\",1]}]"}}`, sha},
		{chat, `{"error":{"message":"messages.1.content.0: bad"}}`, ""},
		{chat, `{"error":{"message":"messages.7.content.9: bad"}}`, ""},
		{chat, `{"error":{"message":"messages: bad"}}`, ""},
		{chat, ``, ""},
		{``, `messages.1.content.1`, ""},
		{claude, `{"error":{"message":"messages.0.content.0.tool_result.content.1.image.source.base64.data: too large"}}`, sha},
		{claude, `{"error":{"message":"messages.0.content.0.tool_result.content.0.text: bad"}}`, ""},
		{responses, `{"error":{"param":"input[0].content[0].file_data"}}`, sha},
		{responses, `{"error":{"param":"input[1].output[0].image_url"}}`, sha},
		{gemini, `{"error":{"message":"Invalid value at 'contents[0].parts[1].inline_data.data'"}}`, sha},
	} {
		if got := pointedAt([]byte(c.reply), []byte(c.request)); got != c.want {
			t.Errorf("%s: %q", c.reply, got)
		}
	}
	err := Classify(Failure{Status: 400, Body: []byte(`{"error":{"message":"bad","param":"messages.[1].content.[1].image_url"}}`), Request: []byte(chat)})
	if r, ok := Refused(err); !ok || r.SHA != sha || !r.Sure || !strings.Contains(err.Error(), "bad") {
		t.Errorf("%+v %v", r, err)
	}
}

// Whatever a vendor answers, reading it is quick and does not fail.
func FuzzRefused(f *testing.F) {
	f.Add(400, "messages.0.content.1.image: too many images, at most 3", `{"messages":[{"content":[1,{"data":"aGVsbG8="}]}]}`)
	f.Add(413, "", "")
	f.Add(400, `["body","messages",99999,"content",0]`, `{"messages":{}}`)
	f.Fuzz(func(t *testing.T, status int, reply, request string) {
		r, ok := Refused(Classify(Failure{Status: status, Body: []byte(reply), Request: []byte(request)}))
		if ok && (r.Most < -1 || r.Place < -1 || len(r.SHA) != 0 && len(r.SHA) != 64) {
			t.Fatalf("%+v", r)
		}
	})
}

func TestWhoReadsFiles(t *testing.T) {
	for _, c := range []struct {
		name, api     string
		files, sounds bool
	}{
		{"openai", "chat", true, false},
		{"openai", "responses", true, false},
		{"anthropic", "anthropic", true, false},
		{"anthropic", "chat", false, false},
		{"gemini", "gemini", true, true},
		{"gemini", "chat", false, false},
		{"deepseek", "chat", false, false},
		{"", "chat", false, false},
	} {
		p := Preset{Name: c.name, API: c.api}
		if p.ReadsFiles() != c.files || p.Hears() != c.sounds {
			t.Errorf("%s over %s: %v %v", c.name, c.api, p.ReadsFiles(), p.Hears())
		}
	}
	for name := range reads() {
		if _, ok := Lookup(name); !ok {
			t.Errorf("there is no vendor %s", name)
		}
	}
}
