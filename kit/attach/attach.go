package attach

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/internal/media"
	"react-agent/internal/msg"
	"react-agent/internal/ordinary"
)

// The bounds of one message.
const (
	MaxFiles   = 20
	MaxTotal   = 20 << 20 // bytes, as they are sent
	maxPicture = 64 << 20 // bytes of a file that is made smaller
	maxText    = 1 << 20
	headSize   = 1024 // bytes that tell what a file is
)

// Options say where files are and how they are read. Every field may be left empty.
type Options struct {
	// Dir is the work directory, absolute; Home the person's.
	Dir, Home string
	// May is asked before a file is opened: an error says why it must not be read. nil: everything may.
	May func(ctx context.Context, path string) error
	// Text gives the parts that stand for a file of text; its content is in the same form as a mention's. nil: text is a
	// part as it stands.
	Text func(ctx context.Context, path string) ([]agent.Part, error)
	// Msg words the descriptions.
	Msg msg.Catalogue
}

// Item is a file that was read.
type Item struct {
	// Path is as it was given, Name the last element of it.
	Path, Name string
	// What says what it is and how it is sent, for a person.
	What string
	// Parts go into the message.
	Parts []agent.Part
}

// Size is how many bytes of it are sent.
func (i *Item) Size() (n int) {
	for _, p := range i.Parts {
		n += len(p.Text)
		if p.Blob != nil {
			n += len(p.Blob.Data)
		}
	}
	return n
}

// Load reads a file. Its errors are for a person, in both languages, and name the file.
func (o Options) Load(ctx context.Context, path string) (Item, error) {
	item := Item{Path: path, Name: filepath.Base(filepath.FromSlash(path))}
	full := o.locate(path)
	if o.May != nil {
		_, err := ordinary.Within(ctx, func() (struct{}, error) { return struct{}{}, o.May(ctx, full) })
		if err != nil {
			return item, refused(path, err)
		}
	}
	kind, mime, limit, err := sorted(ctx, path, full)
	if err != nil {
		return item, err
	}
	if kind == textual {
		return item, o.text(ctx, &item, full)
	}
	data, _, err := read(ctx, full, limit+1)
	switch {
	case err != nil:
		return item, unreadable(path, err)
	case int64(len(data)) > limit: // it has grown meanwhile
		return item, msg.Errorf(msg.AttachLarge, path, size(int64(len(data))), kind.key(), size(limit))
	}
	err = o.whole(&item, kind, mime, data)
	return item, err
}

// Bytes is [Options.Load] for a file whose bytes are here already, under its name. A text is a part as it stands.
func (o Options) Bytes(name string, data []byte) (Item, error) {
	item := Item{Path: name, Name: filepath.Base(filepath.FromSlash(name))}
	kind, mime, _, err := judged(name, data[:min(len(data), headSize)], int64(len(data)))
	switch {
	case err != nil:
		return item, err
	case kind == textual:
		o.words(&item, data)
		return item, nil
	}
	err = o.whole(&item, kind, mime, data)
	return item, err
}

// whole makes an attachment of a file that is no text.
func (o Options) whole(item *Item, kind sort, mime string, data []byte) (err error) {
	blob := &agent.Blob{MIME: mime, Name: item.Name, Data: data}
	switch kind {
	case picture:
		err = o.picture(item, blob)
	case document:
		item.What, err = "PDF, "+size(int64(len(data))), pdfFault(item.Path, media.CheckPDF(data))
	case sound:
		item.What = strings.ToUpper(strings.TrimPrefix(mime, "audio/")) + ", " + size(int64(len(data)))
	case textual:
	}
	item.Parts = []agent.Part{{Kind: agent.BlobKind, Blob: blob}}
	return err
}

// sorted tells from its beginning what a file is, and whether it may be attached as that.
func sorted(ctx context.Context, path, full string) (kind sort, mime string, limit int64, err error) {
	head, total, err := read(ctx, full, headSize)
	if err != nil {
		return "", "", 0, unreadable(path, err)
	}
	return judged(path, head, total)
}

// judged is sorted for a beginning that was read.
func judged(path string, head []byte, total int64) (kind sort, mime string, limit int64, err error) {
	if len(head) == 0 {
		return "", "", 0, msg.Errorf(msg.AttachEmpty, path)
	}
	mime = media.Sniff(head)
	kind, limit = kindOf(mime, head)
	want := named(path)
	switch {
	case want != "" && want != kind:
		err = msg.Errorf(msg.AttachDisguised, path, want.key(), content(mime, kind))
	case kind == "":
		err = msg.Errorf(msg.AttachBinary, path)
	case total > limit:
		err = msg.Errorf(msg.AttachLarge, path, size(total), kind.key(), size(limit))
	}
	return kind, mime, limit, err
}

// read gives a file's first limit bytes and how many it has; it waits for neither for ever.
func read(ctx context.Context, full string, limit int64) (data []byte, total int64, err error) {
	type found struct {
		data  []byte
		total int64
	}
	f, err := ordinary.Within(ctx, func() (found, error) {
		b, info, err := ordinary.Read(full, limit)
		if err != nil {
			return found{}, err
		}
		return found{b, info.Size()}, nil
	})
	return f.data, f.total, err
}

// locate is where a path leads.
func (o Options) locate(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && o.Home != "" {
		return filepath.Join(o.Home, rest)
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(o.Dir, path)
}

func unreadable(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return msg.Errorf(msg.AttachMissing, path)
	}
	if _, special := errors.AsType[*ordinary.Error](err); special {
		return msg.Errorf(msg.AttachNotAFile, path)
	}
	return refused(path, err)
}

func refused(path string, err error) error {
	if errors.Is(err, ordinary.ErrSlow) {
		return msg.Errorf(msg.AttachSlow, path, int(ordinary.Patience.Seconds()))
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return msg.Errorf(msg.AttachRule, path, err)
}

// sort is a kind of file that can be attached.
type sort string

const (
	picture  sort = "image"
	document sort = "pdf"
	sound    sort = "audio"
	textual  sort = "text"
)

func (s sort) key() told {
	switch s {
	case picture:
		return told(msg.AttachImage)
	case document:
		return told(msg.AttachPDF)
	case sound:
		return told(msg.AttachSound)
	case textual:
	}
	return told(msg.AttachText)
}

// told is a text that says itself in the language of the text around it.
type told msg.Key

// In is the text in a language.
func (t told) In(c msg.Catalogue) string { return c.Text(msg.Key(t)) }

// kindOf tells what a file is by its MIME type and its beginning, and how large such a file may be. "" is binary.
func kindOf(mime string, head []byte) (sort, int64) {
	kind, _, _ := strings.Cut(mime, "/")
	words := isText(head)
	switch {
	case words: // a text may begin like a picture; HTML and SVG are text
		if mime == media.PDF {
			return document, media.MaxPDF
		}
		return textual, maxText
	case kind == "image":
		return picture, maxPicture
	case kind == "audio":
		return sound, media.MaxAudio
	case mime == media.PDF:
		return document, media.MaxPDF
	}
	return "", 0
}

// isText reports whether a file begins like UTF-8 text.
func isText(head []byte) bool {
	for i := range utf8.UTFMax { // the last character may be cut
		if len(head) < headSize && i > 0 {
			return false
		}
		part := head[:max(0, len(head)-i)]
		if utf8.Valid(part) {
			return !strings.ContainsRune(string(part), 0)
		}
	}
	return false
}

// named is what a file is by its name; "" is anything.
func named(path string) sort {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".apng", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".heic", ".avif", ".ico":
		return picture
	case ".pdf":
		return document
	case ".wav", ".mp3", ".flac", ".ogg", ".aac", ".aiff", ".m4a":
		return sound
	}
	return ""
}

// content names what is in a file that is not what its name says.
func content(mime string, kind sort) any {
	switch {
	case mime == media.HTML:
		return "HTML"
	case mime == media.SVG:
		return "SVG"
	case kind == "":
		return "binary data"
	}
	return kind.key()
}

func (o Options) picture(item *Item, blob *agent.Blob) error {
	info, err := media.Probe(blob.Data)
	if err == nil && info.Moving {
		if _, err := media.Fit(blob.Data, media.ForModels()); err == nil {
			return msg.Errorf(msg.AttachMovingFirst, item.Path, info.Format)
		}
		return msg.Errorf(msg.AttachMoving, item.Path, info.Format)
	}
	if err != nil {
		return pictureFault(item.Path, info, err)
	}
	p, err := media.Fit(blob.Data, media.ForModels())
	if err != nil {
		return pictureFault(item.Path, info, err)
	}
	blob.MIME, blob.Data = p.MIME, p.Data
	item.What = o.Msg.Text(msg.AttachShown, info.Format, info.Width, info.Height, size(int64(len(p.Data))))
	if !p.Same {
		item.What = o.Msg.Text(msg.AttachShrunk, info.Format, info.Width, info.Height, p.Kind(), p.Width, p.Height, size(int64(len(p.Data))))
	}
	return nil
}

func pictureFault(path string, info media.Info, err error) error {
	if broken, ok := errors.AsType[*media.BrokenError](err); ok {
		return msg.Errorf(msg.AttachBroken, path, broken.Format, broken.Err)
	}
	if errors.Is(err, media.ErrPixels) {
		return msg.Errorf(msg.AttachPixels, path, info.Format, info.Width, info.Height)
	}
	return msg.Errorf(msg.AttachRule, path, err)
}

func pdfFault(path string, err error) error {
	switch {
	case errors.Is(err, media.ErrCut):
		return msg.Errorf(msg.AttachPDFCut, path)
	case errors.Is(err, media.ErrLocked):
		return msg.Errorf(msg.AttachPDFLocked, path)
	}
	return err
}

func (o Options) text(ctx context.Context, item *Item, full string) error {
	if o.Text != nil {
		parts, err := ordinary.Within(ctx, func() ([]agent.Part, error) { return o.Text(ctx, full) })
		if err != nil {
			return refused(item.Path, err)
		}
		item.Parts = parts
	} else {
		data, _, err := read(ctx, full, maxText)
		if err != nil {
			return unreadable(item.Path, err)
		}
		o.words(item, data)
	}
	item.What = o.Msg.Text(msg.AttachText) + ", " + size(int64(item.Size()))
	return nil
}

// words makes a text a part as it stands.
func (o Options) words(item *Item, data []byte) {
	item.Parts = []agent.Part{agent.TextPart(strings.ToValidUTF8(string(data), "\uFFFD"))}
	item.What = o.Msg.Text(msg.AttachText) + ", " + size(int64(item.Size()))
}

// size is a number of bytes for a person.
func size(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 10<<10:
		return fmt.Sprintf("%d kB", n>>10)
	case n >= 1<<10:
		return fmt.Sprintf("%.1f kB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}
