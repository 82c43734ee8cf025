package tool

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"react-agent/agent"
	"react-agent/internal/media"
)

// attachment gives a file that is no text as what a model can look at; ok is false when it is another file. turn is taken
// while a picture is decoded: a large one needs much memory, and several files may be read at once.
func (e Env) attachment(path string, b []byte, turn chan struct{}) (r agent.Result, ok bool, err error) {
	if media.Sniff(b) == media.PDF {
		r, err = e.pdf(path, b)
		return r, true, err
	}
	if !media.IsPicture(b) || notText(b) == nil && invalid(b) == 0 { // a text may begin in the same way
		return r, false, nil
	}
	turn <- struct{}{}
	defer func() { <-turn }()
	r, err = e.picture(path, b)
	return r, true, err
}

func (e Env) pdf(path string, b []byte) (agent.Result, error) {
	if !e.Files {
		return agent.Result{}, fmt.Errorf("%s is a PDF of %d bytes, which this model cannot read: use pdftotext (bash)", path, len(b))
	}
	if len(b) > media.MaxPDF {
		return agent.Result{}, fmt.Errorf("%s is a PDF of %d MiB, and the limit is %d: use pdftotext (bash), perhaps for a few pages", path, len(b)>>20, media.MaxPDF>>20)
	}
	switch err := media.CheckPDF(b); {
	case errors.Is(err, media.ErrCut):
		return agent.Result{}, fmt.Errorf("%s is a broken PDF: its end is missing", path)
	case errors.Is(err, media.ErrLocked):
		return agent.Result{}, fmt.Errorf("%s is an encrypted PDF: use pdftotext -upw (bash) with its password", path)
	}
	return attached(fmt.Sprintf("[%s: a PDF, attached]", path), media.PDF, path, b), nil
}

func attached(text, mime, path string, data []byte) agent.Result {
	r := agent.TextResult(text)
	r.Parts = append(r.Parts, agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: mime, Name: filepath.Base(path), Data: data}})
	return r
}

func (e Env) picture(path string, b []byte) (agent.Result, error) {
	info, err := media.Probe(b)
	what := fmt.Sprintf("a %s image of %dx%d pixels", info.Format, info.Width, info.Height)
	if info.Moving {
		what = "the first picture of a moving " + strings.TrimPrefix(what, "a ")
	}
	_, broken := errors.AsType[*media.BrokenError](err)
	switch {
	case broken:
		return agent.Result{}, pictureFault(path, what, err)
	case !e.Vision:
		return agent.Result{}, fmt.Errorf("%s is %s, %d bytes, and this model cannot see images", path, what, len(b))
	case err != nil:
		return agent.Result{}, pictureFault(path, what, err)
	}
	p, err := media.Fit(b, media.ForModels())
	switch {
	case err != nil:
		return agent.Result{}, pictureFault(path, what, err)
	case p.Same:
		return attached(fmt.Sprintf("[%s: %s, attached]", path, what), p.MIME, path, p.Data), nil
	}
	return attached(fmt.Sprintf("[%s: %s, attached as %s of %dx%d]", path, what, p.Kind(), p.Width, p.Height), p.MIME, path, p.Data), nil
}

// pictureFault says what is wrong with a picture, and what to do about it.
func pictureFault(path, what string, err error) error {
	if broken, ok := errors.AsType[*media.BrokenError](err); ok {
		return fmt.Errorf("%s looks like a %s image, but is broken: %w", path, broken.Format, broken.Err)
	}
	switch {
	case errors.Is(err, media.ErrPixels):
		return fmt.Errorf("%s is %s, too large to be decoded: make it smaller first", path, what)
	case errors.Is(err, media.ErrMoving):
		return fmt.Errorf("%s is a moving WebP image, which cannot be read: take a picture out of it first", path)
	}
	return fmt.Errorf("%s, %s: %w", path, what, err)
}
