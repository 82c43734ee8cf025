package native

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

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
// when no model could use it; bytes without a name are kept as they are.
func (a *API) PutBlob(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Name string `json:"name"`
		MIME string `json:"mime"`
		Data []byte `json:"data"`
	}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); !large {
			err = &command.UsageError{Err: msg.Errorf(msg.NativeUpload, err)}
		}
		a.refuse(w, r, err)
		return
	}
	out, err := a.keep(r.Context(), agent.Blob{MIME: in.MIME, Name: path.Base(strings.ReplaceAll(in.Name, `\`, "/")), Data: in.Data})
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	httpx.Answer(w, http.StatusCreated, out)
}

func (a *API) keep(ctx context.Context, b agent.Blob) (uploaded, error) {
	if b.Name == "." || b.Name == "/" {
		b.Name = ""
	}
	switch {
	case len(b.Data) == 0:
		return uploaded{}, &command.UsageError{Err: msg.Errorf(msg.NativeNoData)}
	case b.Name != "" && a.o.Attach != nil:
		known, err := a.o.Attach(ctx, b.Name, b.Data)
		if err != nil {
			return uploaded{}, &command.UsageError{Err: err}
		}
		b = known
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
	h.Set("ETag", `"`+sha+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}
