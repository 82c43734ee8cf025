package config

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"react-agent/internal/msg"
)

// Want is a choice of a model; what is empty is left to the vendor, and without a vendor to the configuration.
type Want struct{ Provider, API, Model string }

// Target is where a model is asked, with everything that is needed for it.
type Target struct{ Provider, API, BaseURL, Key, Model string }

// Target finds the address, the key and the model of a choice. The key is the vendor's own, and the address the vendor's
// or one that the person named for it: no key goes to another vendor's address. The errors say what is missing.
func (c *Config) Target(w Want) (Target, error) {
	if w.Provider == "" {
		w.Provider = c.Provider
	}
	if w.Provider == c.Provider {
		return c.sameVendor(w)
	}
	v, ok := find(c.rest.vendors, w.Provider)
	if !ok {
		return Target{}, c.noVendor(w.Provider)
	}
	t := Target{Provider: v.Name, API: or(w.API, v.wire()), Model: or(w.Model, v.DefaultModel)}
	place, ok := v.place(t.API)
	if !ok {
		return Target{}, v.noWire(t.API)
	}
	if t.Model == "" && t.API == apiCommand {
		t.Model = programsChoice
	}
	t.BaseURL = place.BaseURL
	var end *Origin
	if base := c.rest.openAIBase; c.takesOpenAI(v) && base.value != "" {
		t.BaseURL, end = base.value, &base.origin
	}
	key, _ := pickKey(c.rest.keysOf(v), end)
	t.Key = key.value
	return t, c.missing(v, t, place, end != nil)
}

// sameVendor is the target at the vendor that the configuration has settled for.
func (c *Config) sameVendor(w Want) (Target, error) {
	t := Target{Provider: c.Provider, API: or(w.API, c.API), BaseURL: c.APIBase, Key: c.APIKey, Model: or(w.Model, c.Model)}
	if c.API == offline {
		return t, c.Ready()
	}
	v, known := find(c.rest.vendors, c.Provider)
	if !known { // nobody could be found
		return t, c.Ready()
	}
	named := c.origins["api_base"].Layer >= LayerUser
	place, ok := v.place(t.API)
	switch {
	case t.API == c.API:
	case !ok && !named:
		return Target{}, v.noWire(t.API)
	case !named:
		t.BaseURL = place.BaseURL
	case ok && place.Form != v.placeOf(c.API).Form: // the address that was named is no place for this wire
		return Target{}, msg.Errorf(msg.ConfigNoBaseWire, v.Name, t.API, place.Form)
	}
	if t.Model == "" {
		t.Model = v.DefaultModel
	}
	return t, c.missing(v, t, place, named)
}

// missing says what a target lacks. Whoever named a server knows whether it wants a key.
func (c *Config) missing(v Vendor, t Target, place Place, named bool) error {
	switch {
	case t.API == apiCommand:
		return nil
	case t.BaseURL == "":
		return v.noBase(place)
	case t.Key == "" && len(v.KeyEnv) > 0 && !named:
		if v.Name == c.Provider { // api_key is this one's
			return msg.Errorf(msg.ConfigNoKey, v.Name, strings.Join(v.KeyEnv, ", "), c.rest.userFile)
		}
		return msg.Errorf(msg.ConfigNoOtherKey, v.Name, strings.Join(v.KeyEnv, ", "))
	case t.Model == "" && !v.Local:
		return msg.Errorf(msg.ConfigNameModel, v.Name)
	}
	return nil
}

// apiCommand is the wire of programs, which need no address and have keys of their own.
const apiCommand = "command"

// wire is the one that a vendor speaks first.
func (v Vendor) wire() string { return or(v.API, "chat") }

// place is where a vendor speaks a wire; false: it does not.
func (v Vendor) place(api string) (Place, bool) {
	if api == v.wire() {
		return Place{BaseURL: v.BaseURL, Form: v.Form}, true
	}
	p, ok := v.Also[api]
	return p, ok
}

func (v Vendor) placeOf(api string) Place {
	p, _ := v.place(api)
	return p
}

func (v Vendor) noBase(p Place) error {
	if p.Form == "" {
		return msg.Errorf(msg.ConfigNoBase, v.Name)
	}
	return msg.Errorf(msg.ConfigNoBaseForm, v.Name, p.Form)
}

func (v Vendor) noWire(api string) error {
	wires := []string{v.wire()}
	for name := range v.Also {
		wires = append(wires, name)
	}
	slices.Sort(wires[1:])
	return msg.Errorf(msg.ConfigNoWire, v.Name, api, strings.Join(wires, ", "))
}

func (c *Config) vendorNames() []string {
	names := make([]string, len(c.rest.vendors))
	for i, v := range c.rest.vendors {
		names[i] = v.Name
	}
	return names
}

func (c *Config) noVendor(name string) error {
	if near := Nearest(name, c.vendorNames()); near != "" {
		return msg.Errorf(msg.ConfigNoVendorNear, name, near)
	}
	return msg.Errorf(msg.ConfigNoVendor, name)
}

// Embeddings reads memory.embeddings: a model as [Config.Choose] has it, and the length of vectors that @N behind it wants,
// 0 = its own. What stands before the first slash is a vendor, and an error if there is none of that name.
func (c *Config) Embeddings() (w Want, dims int, err error) {
	name := c.Memory.Embeddings
	if model, n, ok := cutLast(name, "@"); ok {
		dims, err = strconv.Atoi(n)
		if err != nil || dims < 1 || dims > 9999 || model == "" {
			return w, 0, msg.Errorf(msg.ConfigDimensions, name)
		}
		name = model
	}
	if vendor, _, ok := strings.Cut(name, "/"); ok {
		if _, known := find(c.rest.vendors, vendor); !known {
			return w, 0, c.noVendor(vendor)
		}
	}
	w, err = c.Choose(name, c.Provider, nil)
	return w, dims, err
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// checkEmbeddings refuses a model of vectors that cannot be asked, before anything that is remembered goes anywhere.
func (l *loader) checkEmbeddings() {
	if l.c.Memory.Embeddings == "" {
		return
	}
	if _, _, err := l.c.Embeddings(); err != nil {
		l.fail(msg.Errorf(msg.ConfigEmbeddings, l.c.origins["memory.embeddings"], err))
	}
}

// Vendors lists those that can be asked, by name: the table, and the person's own in front of it where they are called the
// same.
func (c *Config) Vendors() []Vendor {
	list := slices.Clone(c.rest.vendors)
	slices.SortFunc(list, func(a, b Vendor) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// KeyOf names the variable that holds a vendor's key; "" = there is none. The key in the settings is the provider's.
func (c *Config) KeyOf(v Vendor) string {
	if v.Name == c.Provider && c.APIKey != "" {
		return c.origins["api_key"].Name
	}
	key, _ := pickKey(c.rest.keysOf(v), nil)
	return key.origin.Name
}

// Choose reads MODEL, VENDOR/MODEL or VENDOR//MODEL, as somebody says it to whom the vendor from is near ("" = the
// configuration's). Ids of models may have slashes themselves. What stands before the first one is a vendor if
//
//   - two slashes follow: always;
//   - it is the vendor from, or a preset of the person's own;
//   - it is a vendor of the table, and from is not one of those whose own ids have slashes (gateways, local servers).
//
// An id that known knows to be one of from's is never taken apart. VENDOR/ alone is the vendor's default model, and an error
// when there is no such vendor. An unknown vendor before a name is an error where from's ids have no slashes, and an id where
// they may have, see [Config.TakenForID].
func (c *Config) Choose(name, from string, known func(vendor, id string) bool) (Want, error) {
	from = or(from, c.Provider)
	own := Want{Provider: from, Model: name}
	if vendor, model, ok := strings.Cut(name, "//"); ok {
		return c.surely(vendor, model)
	}
	vendor, model, ok := strings.Cut(name, "/")
	if ok && model == "" { // never an id
		return c.surely(vendor, "")
	}
	if !ok || known != nil && known(from, name) {
		return own, nil
	}
	at, _ := find(c.rest.vendors, from)
	_, listed := find(c.rest.vendors, vendor)
	_, mine := c.Presets[vendor]
	switch {
	case vendor == from, mine, listed && !at.SlashIDs:
	case !listed && !c.mayHaveSlashes(at):
		return Want{}, c.noVendorBefore(vendor, at.Name, name)
	default:
		return own, nil
	}
	if known != nil && known(vendor, name) { // an id that begins with its vendor's name
		model = name
	}
	return Want{Provider: vendor, Model: model}, nil
}

// surely is a model of what can only be a vendor, "" = its default.
func (c *Config) surely(vendor, model string) (Want, error) {
	v, ok := find(c.rest.vendors, vendor)
	if !ok {
		return Want{}, c.noVendor(vendor)
	}
	return Want{Provider: vendor, Model: or(model, v.DefaultModel)}, nil
}

// mayHaveSlashes reports whether ids of a vendor's models may have some: a vendor of the table and one of the person's own
// say so, of a server that somebody only named the address of nobody knows.
func (c *Config) mayHaveSlashes(v Vendor) bool {
	moved := v.Name == c.Provider && c.origins["api_base"].Layer >= LayerUser
	return v.SlashIDs || v.BaseURL == "" || moved
}

// noVendorBefore is the error that what stands before the slash of a name is no vendor, said near the vendor from.
func (c *Config) noVendorBefore(vendor, from, name string) error {
	if from == "" {
		return c.noVendor(vendor)
	}
	return msg.Errorf(msg.ConfigNoVendorSlash, c.noVendor(vendor), from, name)
}

// TakenForID is what stands before the slash of a model's id and is no vendor, where nobody knows whether ids of the vendor
// have slashes: it may be a vendor's name with a slip in it. near is the vendor that it is most like, or "". "" = all is clear.
func (c *Config) TakenForID(vendor, model string) (head, near string) {
	head, _, ok := strings.Cut(model, "/")
	v, listed := find(c.rest.vendors, vendor)
	_, known := c.Models[model]
	_, exact := c.Models[vendor+"/"+model]
	if !ok || !listed || v.SlashIDs || known || exact || model == v.DefaultModel || c.HasVendor(head) {
		return "", ""
	}
	return head, Nearest(head, c.vendorNames())
}

// HasVendor reports whether there is a vendor of that name.
func (c *Config) HasVendor(name string) bool {
	_, ok := find(c.rest.vendors, name)
	return ok
}

// byModel lets the model that was named choose the vendor: VENDOR/MODEL, unless vendor or address were named beside it or
// later. What weaker layers said of the other vendor is not about this one.
func (l *loader) byModel(v Vendor) (Vendor, bool) {
	c := l.c
	o, beside := c.origins["model"], c.origins["api_base"].Layer
	if n := len(l.providers); n > 0 {
		beside = max(beside, l.providers[n-1].origin.Layer)
	}
	if o.Layer < LayerUser || beside >= o.Layer || c.origins["provider"] == o { // or it has chosen already
		return v, true
	}
	w, err := c.Choose(c.Model, v.Name, nil)
	switch {
	case err != nil:
		l.fail(err)
		return v, false
	case w.Provider == v.Name:
		if c.Model = w.Model; w.Model == "" { // as if nobody had named one
			delete(c.origins, "model")
		}
		return v, true
	case o.inWorkDir() && !l.admit(field{}, "model", text(c.Model, o)): // it says who is sent what is said
		if l.src.SkipUntrusted {
			c.Model = ""
			delete(c.origins, "model")
		}
		return v, true
	}
	chosen, _ := find(c.rest.vendors, w.Provider)
	c.Provider, c.origins["provider"] = w.Provider, o
	c.Model = w.Model
	l.leave(o)
	if c.takesOpenAI(chosen) {
		l.openAIBase()
	}
	return chosen, true
}

// leave forgets what layers below o said of another vendor.
func (l *loader) leave(o Origin) {
	c := l.c
	if c.origins["api_base"].Layer < o.Layer {
		c.APIBase = ""
		delete(c.origins, "api_base")
	}
	if c.origins["api"].Layer < o.Layer {
		c.API = ""
		delete(c.origins, "api")
	}
	if c.origins["model"].Layer < o.Layer {
		c.Model = ""
		delete(c.origins, "model")
	}
	if c.origins["api_key"].Layer < o.Layer {
		c.APIKey = ""
		delete(c.origins, "api_key")
	}
	l.keys = slices.DeleteFunc(l.keys, func(k candidate) bool { return k.origin.Layer < o.Layer })
}

// byProvider forgets what weaker layers have set for another vendor than the one that is named now: address, wire, key, model.
func (l *loader) byProvider(table []Vendor) {
	c := l.c
	o, end := c.origins["provider"], c.origins["api_base"]
	before := ""
	for _, p := range l.providers {
		if p.origin.Layer < o.Layer {
			before = p.value
		}
	}
	if base, err := url.Parse(c.APIBase); err == nil && before == "" && c.APIBase != "" && end.Layer < o.Layer {
		for _, v := range table {
			if u, err := url.Parse(v.BaseURL); err == nil && u.Host != "" && sameHost(u, base) {
				before = v.Name
				break
			}
		}
	}
	if before != "" && before != c.Provider {
		l.leave(o)
	}
}

// openAITarget is the address of OPENAI_BASE_URL, if it may be used.
func (l *loader) openAITarget() candidate {
	v, ok := l.lookup("OPENAI_BASE_URL")
	if !ok || checkURL(v.value) != nil || v.origin.inWorkDir() && !l.trusted(v.origin.File) {
		return candidate{}
	}
	return candidate(v)
}

// keysOf are the keys of a vendor's variables, the strongest layer first.
func (r *rest) keysOf(v Vendor) (keys []candidate) {
	for _, vars := range []map[string]envVar{r.vars, r.dot} {
		for _, name := range v.KeyEnv {
			if k, ok := vars[name]; ok {
				keys = append(keys, candidate(k))
			}
		}
	}
	return keys
}

// pickKey takes of keys, the strongest first, the one for an address; nil is one that nobody but the table named. A key is for
// an address of its own layer or a stronger one; only when there is none, one of a stronger layer goes to an address that
// the person wrote or trusted. passed is the key that was not taken.
func pickKey(keys []candidate, end *Origin) (chosen candidate, passed *candidate) {
	if len(keys) == 0 {
		return candidate{}, nil
	}
	if end != nil {
		if i := slices.IndexFunc(keys, func(k candidate) bool { return k.origin.Layer <= end.Layer }); i > 0 {
			return keys[i], &keys[0]
		}
	}
	return keys[0], nil
}
