package cost

import (
	"iter"
	"slices"
	"strings"
	"time"
)

// vendorOf gives the table's name of a vendor for one that presets know under another, or as a second door to the same.
func vendorOf(preset string) string {
	switch preset {
	case "gemini", "gemini-openai":
		return "google"
	case "vertex":
		return "google-vertex"
	case "bedrock":
		return "amazon-bedrock"
	case "azure":
		return "openai"
	case "zhipu":
		return "zai"
	}
	return preset
}

// Of lists the models of a vendor, as presets call it, by id. A vendor that takes no money has none here.
func (t *Table) Of(vendor string) ([]Model, error) {
	if Unbilled(vendor) {
		return nil, nil
	}
	all, err := t.All()
	return slices.DeleteFunc(all, func(m Model) bool { return m.Vendor != vendorOf(vendor) }), err
}

// Unbilled reports whether a vendor takes no money for a token: a server of one's own, or a plan that is paid by the month.
// There the prices of others for a model of the same name mean nothing, nor do their limits.
func Unbilled(vendor string) bool {
	switch vendor {
	case "llamacpp", "lmstudio", "ollama", "sglang", "vllm", "copilot":
		return true
	}
	return false
}

// Lookup finds a model. The first of these counts: a price of the person's own; the id as it is; the id without a date, a
// version or -latest; the same for what stands behind the last slash of a gateway's id, or behind the region of a
// Bedrock id; and last the id with dots written as hyphens, or in other capitals. In each form the vendor's own entry goes
// before those of others; of several others the dearest is taken, so that a limit is rather met too early. False: nothing
// is known.
func (t *Table) Lookup(vendor, id string) (Model, bool) {
	t.load()
	vendor = vendorOf(vendor)
	found, ok := t.known(vendor, id)
	if len(t.own) == 0 {
		return found, ok
	}
	for form := range forms(id) {
		if _, set := t.ownOf(vendor, form); !set {
			continue
		}
		if !ok {
			found = Model{Vendor: vendor, ID: id}
		}
		found.Vendor = vendor
		found = t.mine(found, form)
		return found, true
	}
	return found, ok
}

// known looks into the table alone.
func (t *Table) known(vendor, id string) (Model, bool) {
	if Unbilled(vendor) {
		return Model{}, false
	}
	for form := range forms(id) {
		if m, ok := pick(t.find(form), vendor); ok {
			return m, true
		}
	}
	return pick(t.findFold(id), vendor)
}

// pick chooses among entries of one id.
func pick(list []Model, vendor string) (best Model, ok bool) {
	for _, m := range list {
		if m.Vendor == vendor {
			return m, true
		}
		if !ok || dearness(m) > dearness(best) {
			best, ok = m, true
		}
	}
	return best, ok
}

func dearness(m Model) float64 {
	if m.Price == nil {
		return -1
	}
	return m.Price.Input + m.Price.Output
}

func (t *Table) ownOf(vendor, id string) (Own, bool) {
	if o, ok := t.own[vendor+"/"+id]; ok {
		return o, true
	}
	o, ok := t.own[id]
	return o, ok
}

// mine puts the person's price for an id into a model.
func (t *Table) mine(m Model, id string) Model {
	own, ok := t.ownOf(m.Vendor, id)
	if !ok || m.Price == nil && (own.Input == nil || own.Output == nil) { // half a price is none
		return m
	}
	var p Price
	if m.Price != nil {
		p = *m.Price
	}
	if own.Input != nil {
		p.Input = *own.Input
	}
	if own.Output != nil {
		p.Output = *own.Output
	}
	if own.Cached != nil {
		p.Cached = own.Cached
	}
	if own.CacheWrite != nil {
		p.CacheWrite = own.CacheWrite
	}
	m.Price, m.Tiers, m.Own = &p, nil, true
	return m
}

// forms lists the ids under which a model may stand in the table, the likeliest first.
func forms(id string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var seen []string
		add := func(s string) bool {
			for ; s != ""; s = bare(s) {
				if slices.Contains(seen, s) {
					return true
				}
				seen = append(seen, s)
				if !yield(s) {
					return false
				}
			}
			return true
		}
		if !add(id) || !add(id[strings.LastIndexByte(id, '/')+1:]) {
			return
		}
		for _, s := range slices.Clone(seen) {
			maker, model, ok := bedrock(s)
			if !ok {
				continue
			}
			if !add("us."+maker+"."+model) || !add(model) { // the table has the prices of one region
				return
			}
		}
		for _, s := range slices.Clone(seen) {
			if !add(strings.ReplaceAll(s, ".", "-")) {
				return
			}
		}
	}
}

// bare takes one mark of date or version off the end of an id; "" when there is none.
func bare(id string) string {
	for _, mark := range []string{"-latest", "@latest", "@default"} {
		if s, ok := strings.CutSuffix(id, mark); ok {
			return s
		}
	}
	for _, layout := range []string{"-2006-01-02", "-20060102", "@20060102", "-01-2006", "-01-02", "-0102", "-0601"} {
		at := len(id) - len(layout)
		if at <= 0 {
			continue
		}
		if _, err := time.Parse(layout, id[at:]); err == nil {
			return id[:at]
		}
	}
	if at := strings.LastIndex(id, "-v"); at > 0 && digits(strings.Replace(id[at+2:], ":", "", 1)) {
		return id[:at]
	}
	if at := len(id) - len("-001"); at > 0 && strings.HasPrefix(id[at:], "-00") && digits(id[at+1:]) {
		return id[:at]
	}
	return ""
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// bedrock takes a Bedrock id apart, such as eu.anthropic.claude-opus-5.
func bedrock(id string) (maker, model string, ok bool) {
	maker, model, ok = strings.Cut(id, ".")
	switch maker {
	case "us", "us-gov", "eu", "apac", "ap", "jp", "au", "ca", "sa", "me", "global":
		maker, model, ok = strings.Cut(model, ".")
	}
	switch maker {
	case "ai21", "amazon", "anthropic", "cohere", "deepseek", "google", "meta", "minimax", "mistral", "moonshot", "moonshotai", "nvidia", "openai", "qwen", "writer", "zai":
		return maker, model, ok && model != ""
	}
	return "", "", false
}
