package config

import (
	"errors"
	"slices"
	"strings"
	"time"

	"react-agent/internal/msg"
)

// loader applies layer after layer to one Config, the weakest first, and collects everything that is wrong.
type loader struct {
	c        *Config
	src      Source
	problems []error
	guarded  []guardedValue
	// providers are all that were named, the weakest first
	providers []candidate
	keys      []candidate       // every api_key that was given, the weakest first
	hashes    map[string]string // content of the files in the work directory
	vars      map[string]envVar // of the environment
	dot       map[string]envVar // of .env
}

// guardedValue is one that needs trust. It counts while nothing stronger has replaced it; one that adds always does.
type guardedValue struct {
	key    string
	origin Origin
	value  node
	adds   bool
	still  func(c *Config) bool // see [field]
}

// candidate is a key that could be sent.
type candidate struct {
	value  string
	origin Origin
}

func (l *loader) fail(err error) { l.problems = append(l.problems, err) }

func (l *loader) ignore(key string, o Origin, reason error) {
	l.c.Ignored = append(l.c.Ignored, Ignored{Key: key, Origin: o, Reason: reason})
}

// apply sets the keys of one mapping. path is "" at the top, else it ends in a dot.
func (l *loader) apply(fields []field, n node, path string) {
	for _, e := range n.keys {
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == e.key })
		if i < 0 {
			l.unknown(fields, e, path)
			continue
		}
		e.value.origin = originOf(e)
		l.set(fields[i], path+e.key, e.value)
	}
}

// originOf points at the key, which is where a person looks.
func originOf(e entry) Origin {
	o := e.value.origin
	o.Line = e.origin.Line
	return o
}

func (l *loader) unknown(fields []field, e entry, path string) {
	if hint := oldKey(e.key); hint != "" && path == "" {
		l.fail(msg.Errorf(msg.ConfigOldKey, e.origin, e.key, hint))
		return
	}
	names := keysOf(fields)
	if near := Nearest(e.key, names); near != "" {
		l.fail(msg.Errorf(msg.ConfigUnknownKeyNear, e.origin, path+e.key, path+near))
		return
	}
	l.fail(msg.Errorf(msg.ConfigUnknownKey, e.origin, path+e.key, path+strings.Join(names, ", "+path)))
}

func keysOf(fields []field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.key
	}
	return names
}

// set puts one value into its place, if it is allowed to be there.
func (l *loader) set(f field, path string, n node) {
	if n.kind == nullNode {
		return // written down, but left empty
	}
	if g, ok := f.to.(group); ok && n.kind == mapNode {
		l.apply(guarded(g.fields(), f.guard), n, path+".")
		return
	}
	if f.guard != nil && n.origin.inWorkDir() && f.guard(l.c, n) && !l.admit(f, path, n) {
		return
	}
	switch to := f.to.(type) {
	case setter:
		to.set(l, path, n)
	case group:
		l.wrong(path, n, errNotMap)
		return
	default:
		if err := assign(f, n); err != nil {
			l.wrongField(f, path, n, err)
			return
		}
	}
	l.c.origins[path] = n.origin
	if path == "provider" {
		l.providers = append(l.providers, candidate{value: l.c.Provider, origin: n.origin})
	}
	if path == "api_key" {
		l.keys = append(l.keys, candidate{value: l.c.APIKey, origin: n.origin})
	}
	if f.later {
		l.ignore(path, n.origin, msg.Errorf(msg.ConfigLater))
	}
}

// guarded are the keys of a group: what guards the group guards each of them.
func guarded(within []field, guard func(*Config, node) bool) []field {
	for i := range within {
		if within[i].guard == nil {
			within[i].guard = guard
		}
	}
	return within
}

// admit notes a value that needs trust; false = it is left out.
func (l *loader) admit(f field, path string, n node) bool {
	if l.trusted(n.origin.File) {
		return true
	}
	if l.src.SkipUntrusted {
		l.ignore(path, n.origin, msg.Errorf(msg.ConfigNotTrusted))
		return false
	}
	_, adds := f.to.(setter)
	l.guarded = append(l.guarded, guardedValue{key: path, origin: n.origin, value: n, adds: adds, still: f.still})
	return true
}

func (l *loader) trusted(file string) bool {
	return l.c.Trust || l.src.Trusted != nil && l.src.Trusted(file, l.hashes[file])
}

// assign is the one place that knows how each Go type is read.
func assign(f field, n node) (err error) {
	switch to := f.to.(type) {
	case *string:
		return assignText(f, to, n)
	case *float64, **float64:
		return assignNumber(to, n)
	case *bool:
		*to, err = n.boolean()
	case positiveInt:
		if *to.to, err = n.integer(); err == nil && *to.to < 1 {
			err = errNotPositive
		}
	case part:
		if *to.to, err = n.number(); err == nil && (*to.to <= 0 || *to.to > 1) {
			err = msg.Errorf(msg.ConfigWantPart)
		}
	case *time.Duration:
		*to, err = n.duration()
	case **string:
		*to, err = pointer(n.str)
	case **bool:
		*to, err = pointer(n.boolean)
	default:
		return assignMany(f, n)
	}
	return err
}

// assignNumber reads a number: one that limits is more than nothing, one that may be unknown is not less.
func assignNumber(to any, n node) (err error) {
	switch to := to.(type) {
	case *float64:
		if *to, err = n.number(); err == nil && *to <= 0 {
			err = errNotNumber
		}
	case **float64:
		if *to, err = pointer(n.number); err == nil && **to < 0 {
			err = errNegative
		}
	}
	return err
}

// assignMany reads lists and mappings.
func assignMany(f field, n node) (err error) {
	switch to := f.to.(type) {
	case *[]string:
		*to, err = n.strings()
	case *map[string]string:
		*to, err = n.stringMap()
	case *map[string]any:
		m, ok := n.any().(map[string]any)
		if !ok {
			return errNotMap
		}
		*to = m
	case *any:
		*to = n.any()
	default:
		err = errors.New("no reader for this type")
	}
	return err
}

func pointer[T any](read func() (T, error)) (*T, error) {
	v, err := read()
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// errNotListed and errNotURL are what a checked text can be wrong in.
var (
	errNotListed = errors.New("one of")
	errNotURL    = errors.New("an address such as https://host/v1")
	errNotListen = errors.New("host:port or a port")
)

func assignText(f field, to *string, n node) error {
	s, err := n.str()
	if err != nil {
		return err
	}
	if len(f.oneOf) > 0 && !slices.Contains(f.oneOf, s) {
		return errNotListed
	}
	if f.check != nil {
		if err := f.check(s); err != nil {
			return err
		}
	}
	*to = s
	return nil
}

// wrongField is wrong, with what the field knows about its values.
func (l *loader) wrongField(f field, path string, n node, err error) {
	if f.secret {
		if k, ok := errors.AsType[*msg.Error](err); ok { // it says what is wanted, and quotes nothing
			l.fail(msg.Errorf(msg.ConfigSecret, n.origin, path, k))
			return
		}
		l.fail(msg.Errorf(msg.ConfigWrongSecret, n.origin, path))
		return
	}
	if errors.Is(err, errNotListed) {
		l.fail(notOneOf(n.origin, path, n.text, f.oneOf))
		return
	}
	l.wrong(path, n, err)
}

func (l *loader) wrong(path string, n node, err error) {
	l.fail(msg.Errorf(msg.ConfigWrongType, n.origin, path, n.show(), want(err)))
}

// show is the value as an error quotes it.
func (n node) show() string {
	switch n.kind {
	case listNode:
		return "[…]"
	case mapNode:
		return "{…}"
	default:
		if r := []rune(n.text); len(r) > 60 {
			return string(r[:60]) + "…"
		}
		return n.text
	}
}

// want translates what a value should have been.
func want(err error) error {
	for _, w := range []struct {
		err error
		key msg.Key
	}{
		{errNotText, msg.ConfigWantText},
		{errNotBool, msg.ConfigWantBool},
		{errNotInt, msg.ConfigWantInt},
		{errNotPositive, msg.ConfigWantPositive},
		{errNotNumber, msg.ConfigWantNumber},
		{errNegative, msg.ConfigWantAmount},
		{errNotDuration, msg.ConfigWantDuration},
		{errNotList, msg.ConfigWantList},
		{errNotMap, msg.ConfigWantMap},
		{errNotURL, msg.ConfigWantURL},
		{errNotListen, msg.ConfigWantListen},
	} {
		if errors.Is(err, w.err) {
			return msg.Errorf(w.key)
		}
	}
	return err
}

// ruleList takes permission rules. Layers add up: a project cannot take away what the person denied.
type ruleList []Rule

func (r *ruleList) set(l *loader, path string, n node) {
	list, err := n.strings()
	if err != nil {
		l.wrong(path, n, err)
		return
	}
	stronger := make([]Rule, 0, len(list)+len(*r))
	for i, text := range list {
		o := n.origin
		if n.kind == listNode {
			o = n.list[i].origin
		}
		stronger = append(stronger, Rule{Text: text, Origin: o})
	}
	*r = append(stronger, *r...)
}

// entries is a mapping from names to groups. A stronger layer replaces an entry as a whole.
type entries[T any] struct {
	to     *map[string]T
	fields func(*T) []field
}

func mapOf[T any](to *map[string]T, fields func(*T) []field) entries[T] {
	return entries[T]{to: to, fields: fields}
}

func (m entries[T]) set(l *loader, path string, n node) {
	if n.kind != mapNode {
		l.wrong(path, n, errNotMap)
		return
	}
	for _, e := range n.keys {
		var v T
		if e.value.kind != mapNode && e.value.kind != nullNode {
			l.wrong(path+"."+e.key, e.value, errNotMap)
			continue
		}
		l.apply(m.fields(&v), e.value, path+"."+e.key+".")
		if *m.to == nil {
			*m.to = map[string]T{}
		}
		(*m.to)[e.key] = v
		l.c.origins[path+"."+e.key] = originOf(e)
	}
}

// ProblemsError is everything that is wrong with a configuration, one line each.
type ProblemsError []error

// Error is the English text.
func (p ProblemsError) Error() string { return p.In(msg.For(msg.En)) }

// In is the text in the catalogue's language.
func (p ProblemsError) In(c msg.Catalogue) string {
	lines := make([]string, len(p))
	for i, err := range p {
		lines[i] = c.Err(err)
	}
	return strings.Join(lines, "\n")
}

// Unwrap lists the problems.
func (p ProblemsError) Unwrap() []error { return p }
