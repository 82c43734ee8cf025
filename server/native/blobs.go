package native

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"path"
	"strings"
	"unicode"

	"react-agent/agent"
	"react-agent/internal/command"
	"react-agent/internal/httpx"
	"react-agent/internal/media"
	"react-agent/internal/msg"
	"react-agent/store"
)

// uploaded answers an upload.
type uploaded struct {
	SHA256 string `json:"sha256"`
	MIME   string `json:"mime,omitempty"`
	Name   string `json:"name,omitempty"`
	Size   int    `json:"size"`
}

// PutBlob answers POST /blobs: {"name", "mime"?, "data"}, the bytes in base64. A file with a name is looked at, and refused
// when no model could use it; bytes without a name are kept as they are, but for pictures that no model could use.
func (a *API) PutBlob(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Name string `json:"name"`
		MIME string `json:"mime"`
		Data []byte `json:"data"`
	}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		if at, bad := errors.AsType[base64.CorruptInputError](err); bad {
			err = &command.UsageError{Err: msg.Errorf(msg.NativeBase64, int64(at)+1)}
		} else {
			err = &command.UsageError{Err: msg.Errorf(msg.NativeUpload, strings.TrimPrefix(err.Error(), "json: "))}
		}
		a.refuse(w, r, err)
		return
	}
	if in.MIME != "" {
		kind, _, err := mime.ParseMediaType(in.MIME)
		if err != nil || !strings.Contains(kind, "/") || len(in.MIME) > nameMax {
			a.refuse(w, r, &command.UsageError{Err: msg.Errorf(msg.NativeMIME, clip(in.MIME))})
			return
		}
	}
	out, err := a.keep(r.Context(), agent.Blob{MIME: in.MIME, Name: fileName(in.Name), Data: in.Data})
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	httpx.Answer(w, http.StatusCreated, out)
}

// nameMax is how many bytes of a file's name are kept.
const nameMax = 200

// fileName is the last part of a name, without what is no part of one.
func fileName(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	s = path.Base(strings.ReplaceAll(s, `\`, "/"))
	if s == "." || s == "/" {
		return ""
	}
	return strings.ToValidUTF8(s[:min(len(s), nameMax)], "")
}

func (a *API) keep(ctx context.Context, b agent.Blob) (uploaded, error) {
	switch {
	case len(b.Data) == 0:
		return uploaded{}, &command.UsageError{Err: msg.Errorf(msg.NativeNoData)}
	case a.o.Attach != nil && (b.Name != "" || media.IsPicture(b.Data)):
		known, err := a.o.Attach(ctx, b.Name, b.Data)
		if err != nil {
			return uploaded{}, &command.UsageError{Err: err}
		}
		if b.Name != "" { // whoever gives no name wants the hash of just these bytes
			b = known
		}
	}
	sha, err := a.o.Blobs.PutBlob(ctx, b.Data)
	return uploaded{SHA256: sha, MIME: b.MIME, Name: b.Name, Size: len(b.Data)}, err
}

// GetBlob answers GET /blobs/SHA256 with the bytes. A browser shows pictures and stores everything else: a page among the
// blobs is never run.
func (a *API) GetBlob(w http.ResponseWriter, r *http.Request) {
	sha := r.PathValue("id")
	data, err := a.o.Blobs.GetBlob(r.Context(), sha)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrName):
		a.missing(w, msg.NativeNoBlob, sha)
		return
	case err != nil:
		a.refuse(w, r, err)
		return
	}
	kind, how := "application/octet-stream", "attachment"
	if media.IsPicture(data) {
		kind, how = media.Sniff(data), "inline"
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", mime.FormatMediaType(how, map[string]string{"filename": sha}))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "private, max-age=31536000, immutable")
	httpx.Content(w, r, sha, data)
}
