package config

import (
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// offline is the wire of the built-in rule table, which needs neither key nor server.
const offline = "offline"

// resolve settles who is asked: vendor, wire, address, key and model, each with the place it came from.
func (l *loader) resolve() {
	c := l.c
	c.Listen, _ = listenAddress(c.Listen)
	c.rest.vendors, c.rest.vars, c.rest.dot, c.rest.userFile = l.vendors(), l.vars, l.dot, l.userFile()
	c.rest.openAIBase = l.openAITarget()
	if c.API == offline || c.API == "" && c.Provider == offline {
		c.API, c.Provider = offline, offline
		return
	}
	v, ok := l.vendor(c.rest.vendors)
	if ok {
		v, ok = l.byModel(v)
	}
	if !ok {
		return
	}
	if c.API == "" {
		c.API, c.origins["api"] = v.wire(), vendorOrigin(v)
	}
	l.chooseKey(v)
	place, speaks := v.place(c.API)
	switch {
	case c.API == apiCommand:
	case c.APIBase == "" && !speaks:
		l.fail(msg.Errorf(msg.ConfigAt, c.origins["api"], v.noWire(c.API)))
		return
	case c.APIBase == "" && place.BaseURL == "":
		l.notReady(v.noBase(place))
		return
	case c.APIBase == "":
		c.APIBase, c.origins["api_base"] = place.BaseURL, vendorOrigin(v)
		if c.APIKey == "" && len(v.KeyEnv) > 0 {
			l.notReady(msg.Errorf(msg.ConfigNoKey, v.Name, strings.Join(v.KeyEnv, ", "), l.userFile()))
			return
		}
	}
	l.chooseModel(v)
}

func vendorOrigin(v Vendor) Origin {
	if v.Name == "" {
		return Origin{Layer: LayerDefault}
	}
	return Origin{Layer: LayerVendor, Name: v.Name}
}

func (l *loader) notReady(err error) {
	if l.c.rest.notReady == nil {
		l.c.rest.notReady = err
	}
}

// vendors is the table with the user's presets behind it; a preset of the same name replaces an entry.
func (l *loader) vendors() []Vendor {
	if len(l.c.Presets) == 0 {
		return l.src.Vendors
	}
	table := make([]Vendor, 0, len(l.src.Vendors)+len(l.c.Presets))
	for _, v := range l.src.Vendors {
		if _, own := l.c.Presets[v.Name]; !own {
			table = append(table, v)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.c.Presets)) {
		l.checkPreset(name, l.c.Presets[name])
		table = append(table, l.ownVendor(name, l.c.Presets[name]))
	}
	return table
}

// checkPreset refuses names that nobody could say, and programs that are none.
func (l *loader) checkPreset(name string, p Preset) {
	key := "presets." + name
	if strings.TrimSpace(name) == "" || strings.ContainsAny(name, "/ \t\n") {
		l.fail(msg.Errorf(msg.ConfigPresetName, l.c.origins[key], name))
	}
	if o, set := l.c.origins[key+".command"]; set && (len(p.Command) == 0 || strings.TrimSpace(p.Command[0]) == "") {
		l.fail(msg.Errorf(msg.ConfigPresetCommand, o, key))
	}
}

// ownVendor is a vendor of the person's own. What it is like has keys of its own, which go nowhere else.
func (l *loader) ownVendor(name string, p Preset) Vendor {
	if p.API == "" && len(p.Command) > 0 {
		p.API = apiCommand
	}
	v := l.model(name, p)
	if len(p.Command) > 0 && p.Command[0] != "" {
		v.Programs = []string{filepath.Base(p.Command[0])}
	}
	if p.BaseURL != "" && v.Name != name && len(v.KeyEnv) > 0 && !v.isAt(p.BaseURL) {
		v.KeyEnv = nil
	}
	v = v.first(or(p.API, v.wire()))
	v.Name, v.DefaultModel = name, or(p.DefaultModel, v.DefaultModel)
	v.SlashIDs = v.SlashIDs || strings.Contains(p.DefaultModel, "/")
	if p.BaseURL != "" {
		v.BaseURL, v.Also = p.BaseURL, maps.Clone(v.Also)
		for api, place := range v.Also {
			v.Also[api] = Place{BaseURL: p.BaseURL, Form: place.Form}
		}
	}
	if len(p.KeyEnv) > 0 {
		v.KeyEnv = p.KeyEnv
	}
	return v
}

// model is the vendor that one of the person's own begins as.
func (l *loader) model(name string, p Preset) Vendor {
	v, known := find(l.src.Vendors, or(p.Like, name))
	switch {
	case known:
		return v
	case p.Like != "":
		l.unknownVendor("presets."+name+".like", p.Like, l.c.origins["presets."+name+".like"], l.src.Vendors)
	case p.API == apiCommand:
		return Vendor{API: apiCommand}
	default:
		v, _ = find(l.src.Vendors, "generic")
	}
	return v
}

// isAt reports whether an address is one of the vendor's.
func (v Vendor) isAt(address string) bool {
	there, err := url.Parse(address)
	if err != nil {
		return false
	}
	bases := []string{v.BaseURL}
	for _, p := range v.Also {
		bases = append(bases, p.BaseURL)
	}
	return slices.ContainsFunc(bases, func(base string) bool {
		u, err := url.Parse(base)
		return err == nil && u.Host != "" && sameHost(u, there)
	})
}

// first makes a wire the vendor's first one.
func (v Vendor) first(api string) Vendor {
	if api == v.wire() {
		return v
	}
	place, also := v.placeOf(api), map[string]Place{v.wire(): {BaseURL: v.BaseURL, Form: v.Form}}
	maps.Copy(also, v.Also)
	delete(also, api)
	v.API, v.BaseURL, v.Form, v.Also = api, place.BaseURL, or(place.Form, v.Form), also
	return v
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func find(table []Vendor, name string) (Vendor, bool) {
	for _, v := range table {
		if v.Name == name {
			return v, true
		}
	}
	return Vendor{}, false
}

func (l *loader) unknownVendor(key, name string, o Origin, table []Vendor) {
	names := make([]string, len(table))
	for i, v := range table {
		names[i] = v.Name
	}
	l.fail(notOneOf(o, key, name, names))
}

// vendor finds who is asked: the one named; else the one whose address is given; else the one whose key is there.
func (l *loader) vendor(table []Vendor) (Vendor, bool) {
	c := l.c
	if c.Provider != "" {
		v, ok := find(table, c.Provider)
		if !ok {
			l.unknownVendor("provider", c.Provider, c.origins["provider"], table)
			return v, false
		}
		l.byProvider(table)
		if c.takesOpenAI(v) {
			l.openAIBase()
		}
		return v, true
	}
	l.openAIBase()
	if v, wanted, ok := l.program(table); wanted {
		return v, ok
	}
	if c.APIBase != "" {
		return l.vendorOfAddress(table), true
	}
	v, o, ok := l.vendorOfKey(table)
	if !ok {
		v, ok = l.byModel(Vendor{})
		if ok && v.Name != "" {
			return v, true
		}
		l.notReady(msg.Errorf(msg.ConfigNoModel, keyNames(table), l.userFile()))
		return v, false
	}
	c.Provider, c.origins["provider"] = v.Name, o
	return v, true
}

// takesOpenAI reports whether OPENAI_* variables are about this vendor. A preset of the person's own that has an address is
// asked there: what goes with it, its headers, is meant for nobody else.
func (c *Config) takesOpenAI(v Vendor) bool {
	if c.Presets[v.Name].BaseURL != "" {
		return false
	}
	return v.wire() != apiCommand && (slices.Contains(v.KeyEnv, "OPENAI_API_KEY") || v.Name == "generic")
}

// openAIBase takes the address of OPENAI_BASE_URL, unless the same layer or a stronger one names api_base.
func (l *loader) openAIBase() {
	v, ok := l.lookup("OPENAI_BASE_URL")
	if !ok || l.c.origins["api_base"].Layer >= v.origin.Layer {
		return
	}
	for _, f := range l.c.fields() {
		if f.key == "api_base" {
			l.set(f, f.key, text(v.value, v.origin))
		}
	}
}

// lookup finds a variable in the environment, then in .env.
func (l *loader) lookup(name string) (envVar, bool) {
	if v, ok := l.vars[name]; ok {
		return v, true
	}
	v, ok := l.dot[name]
	return v, ok
}

// vendorOfAddress knows a vendor by the host of its address, so that its dialect is spoken.
func (l *loader) vendorOfAddress(table []Vendor) Vendor {
	c := l.c
	base, err := url.Parse(c.APIBase)
	if err == nil {
		for _, v := range table {
			if u, err := url.Parse(v.BaseURL); err == nil && u.Host != "" && sameHost(u, base) {
				c.Provider, c.origins["provider"] = v.Name, c.origins["api_base"]
				if !c.takesOpenAI(v) { // OPENAI_API_KEY beside another vendor's address is how many people set it up
					v.KeyEnv = append(slices.Clone(v.KeyEnv), "OPENAI_API_KEY")
				}
				return v
			}
		}
	}
	v, ok := find(table, "generic")
	if ok {
		c.Provider, c.origins["provider"] = v.Name, c.origins["api_base"]
	}
	v.KeyEnv = []string{"OPENAI_API_KEY"}
	return v
}

// sameHost compares hosts with their ports; the names of this machine are one.
func sameHost(a, b *url.URL) bool {
	if here(a.Hostname()) && here(b.Hostname()) {
		return a.Port() == b.Port()
	}
	return strings.EqualFold(a.Host, b.Host)
}

// here reports whether a host's name or number is this machine's.
func here(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// vendorOfKey chooses by the keys that are there. A model that is surely one vendor's decides between several; else the
// order of first does.
func (l *loader) vendorOfKey(table []Vendor) (Vendor, Origin, bool) {
	ordered := slices.Clone(table)
	first := []string{"openai", "anthropic", "gemini", "deepseek"}
	rank := func(v Vendor) int {
		if slices.ContainsFunc(v.ModelPrefixes, func(p string) bool { return l.c.Model != "" && strings.HasPrefix(l.c.Model, p) }) {
			return -1
		}
		if i := slices.Index(first, v.Name); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(ordered, func(a, b Vendor) int { return rank(a) - rank(b) })
	for _, v := range ordered {
		if _, speaks := v.place(l.c.API); l.c.API != "" && !speaks {
			continue
		}
		for _, name := range v.KeyEnv {
			if k, ok := l.lookup(name); ok {
				return v, k.origin, true
			}
		}
		if l.c.APIKey != "" && (rank(v) <= 0 || l.c.API != "") { // a key without an address: the wire's first vendor
			return v, l.c.origins["api_key"], true
		}
	}
	return Vendor{}, Origin{}, false
}

// keyNames is the list of variables in the message of a first start.
func keyNames(table []Vendor) string {
	var names []string
	for _, want := range []string{"openai", "anthropic", "gemini", "deepseek"} {
		if v, ok := find(table, want); ok && len(v.KeyEnv) > 0 {
			names = append(names, v.KeyEnv[0])
		}
	}
	if len(names) == 0 {
		names = []string{"OPENAI_API_KEY"}
	}
	return strings.Join(names, " / ")
}

// chooseKey picks the key for the address, see [pickKey].
func (l *loader) chooseKey(v Vendor) {
	all := slices.Clone(l.keys)
	slices.Reverse(all)
	if l.c.API == apiCommand { // a program has variables of its own; a key that is set for a server is none of its business
		all, l.c.APIKey = nil, ""
		delete(l.c.origins, "api_key")
	}
	for _, vars := range []map[string]envVar{l.vars, l.dot} {
		for _, name := range v.KeyEnv {
			if k, ok := vars[name]; ok {
				all = append(all, candidate(k))
			}
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return int(b.origin.Layer) - int(a.origin.Layer) })
	var end *Origin
	if l.c.APIBase != "" {
		o := l.c.origins["api_base"]
		end = &o
	}
	chosen, passed := pickKey(all, end)
	if passed != nil {
		l.ignore("api_key", passed.origin, msg.Errorf(msg.ConfigOtherKey, *end, chosen.origin))
	}
	l.c.APIKey, l.c.origins["api_key"] = chosen.value, chosen.origin
}

func (l *loader) chooseModel(v Vendor) {
	if l.c.Model != "" {
		return
	}
	if v.DefaultModel == "" && l.c.API == apiCommand {
		v.DefaultModel = programsChoice
	}
	if v.DefaultModel == "" && v.Local {
		return
	}
	if v.DefaultModel == "" {
		l.notReady(msg.Errorf(msg.ConfigNameModel, or(v.Name, l.c.APIBase)))
		return
	}
	l.c.Model, l.c.origins["model"] = v.DefaultModel, vendorOrigin(v)
}
