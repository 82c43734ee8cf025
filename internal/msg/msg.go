package msg

import (
	"errors"
	"fmt"
	"strings"
)

// Key is one text in both languages: Chinese, a separator, English. Only this package makes keys.
type Key string

// or separates the columns of a key. It is a control character that no text contains.
const or = "\x1f"

// Lang is one of [Zh] and [En].
type Lang string

// The languages of the catalogue.
const (
	Zh Lang = "zh"
	En Lang = "en"
)

// Catalogue gives texts in one language. The zero value speaks English.
type Catalogue struct{ zh bool }

// For gives the catalogue of a language; anything but [Zh] is English.
func For(lang Lang) Catalogue { return Catalogue{zh: lang == Zh} }

// Lang is the language this catalogue speaks.
func (c Catalogue) Lang() Lang {
	if c.zh {
		return Zh
	}
	return En
}

// Text formats the key's text with printf-style arguments. Without arguments the text is returned as it stands, so a
// bare percent sign needs no doubling there. Arguments that can say themselves in either language do: errors, see
// [Catalogue.Err], and values with a method In(Catalogue) string.
func (c Catalogue) Text(k Key, args ...any) string {
	zh, en, _ := strings.Cut(string(k), or)
	format := en
	if c.zh {
		format = zh
	}
	if len(args) == 0 {
		return format
	}
	for i, a := range args {
		err, isErr := a.(error)
		told, isTold := a.(interface{ In(c Catalogue) string })
		if !isErr && !isTold {
			continue
		}
		args = append([]any(nil), args...) // the caller keeps its own slice
		if isErr {
			args[i] = c.Err(err)
		} else {
			args[i] = told.In(c)
		}
	}
	if !c.zh {
		format = plural(format, args)
	}
	return fmt.Sprintf(format, args...)
}

// Translated is implemented by errors that can say themselves in either language.
type Translated interface {
	error
	// In is the whole text of the error in the catalogue's language, without a final newline.
	In(c Catalogue) string
}

// Err is the error's text in this language: the translated text when the error or one it wraps is [Translated]. What
// stands around a wrapped translated error is kept as it is.
func (c Catalogue) Err(err error) string {
	if err == nil {
		return ""
	}
	var t Translated
	if !errors.As(err, &t) {
		return err.Error()
	}
	whole, inner := err.Error(), t.Error()
	if i := strings.LastIndex(whole, inner); i >= 0 && inner != "" {
		return whole[:i] + t.In(c) + whole[i+len(inner):]
	}
	return t.In(c)
}

// Error is an error with a text of the catalogue.
type Error struct {
	Key  Key
	Args []any
}

// Errorf makes an error from a key. Arguments that are errors can be found with errors.Is and errors.As.
func Errorf(k Key, args ...any) error { return &Error{Key: k, Args: args} }

// Error is the English text.
func (e *Error) Error() string { return e.In(For(En)) }

// In is the text in the catalogue's language.
func (e *Error) In(c Catalogue) string { return c.Text(e.Key, e.Args...) }

// Unwrap lists the arguments that are errors.
func (e *Error) Unwrap() []error {
	var list []error
	for _, a := range e.Args {
		if err, ok := a.(error); ok {
			list = append(list, err)
		}
	}
	return list
}
