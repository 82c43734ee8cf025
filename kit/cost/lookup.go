package cost

import (
	"iter"
	"slices"
	"strings"
	"time"
)

// vendor gives the table's name of a vendor, for one that presets know under another or that the person has named, and
// whether it takes no money for a token: a server of one's own, or a plan that is paid by the month. There the prices of
// others for a model of the same name mean nothing, nor do their limits.
func (t *Table) vendor(name string) (listed string, unbilled bool) {
	if t.Known != nil {
		name, unbilled = t.Known(name)
	}
	switch name {
	case "gemini", "gemini-openai":
		name = "google"
	case "vertex":
		name = "google-vertex"
	case "bedrock":
		name = "amazon-bedrock"
	case "azure":
		name = "openai"
	case "zhipu":
		name = "zai"
	case "llamacpp", "lmstudio", "ollama", "sglang", "vllm", "copilot":
		unbilled = true
	}
	return name, unbilled
}

// Unbilled reports whether a vendor takes no money for a token.
func (t *Table) Unbilled(vendor string) bool {
	_, unbilled := t.vendor(vendor)
	return unbilled
}

// Of lists the models of a vendor, as presets call it, by id. One that takes no money for a token has none here.
func (t *Table) Of(vendor string) ([]Model, error) {
	listed, unbilled := t.vendor(vendor)
	if unbilled {
		return nil, nil
	}
	all, err := t.All()
	return slices.DeleteFunc(all, func(m Model) bool { return m.Vendor != listed }), err
}

// Lookup finds a model. The first of these counts: a price of the person's own; the id as it is; the id without a date, a
// version or -latest; the same for what stands behind the last slash of a gateway's id, or behind the region of a
// Bedrock id; and last the id with dots written as hyphens, or in other capitals. In each form the vendor's own entry goes
// before those of others; of several others the dearest is taken, so that a limit is rather met too early. False: nothing
// is known.
func (t *Table) Lookup(vendor, id string) (Model, bool) {
	t.load()
	listed, unbilled := t.vendor(vendor)
	var found Model
	ok := false
	if !unbilled {
		found, ok = t.known(listed, id)
	}
	if len(t.own) == 0 {
		return found, ok
	}
	for form := range forms(id) {
		own, set := t.ownOf(vendor, form)
		if !set {
			own, set = t.ownOf(listed, form)
		}
		if !set {
			continue
		}
		if !ok {
			found.ID = id
		}
		found.Vendor = listed
		return found.at(own), true
	}
	return found, ok
}

// known looks into the table alone.
func (t *Table) known(vendor, id string) (Model, bool) {
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

// at is the model at a price of the person's own.
func (m Model) at(own Own) Model {
	if m.Price == nil && (own.Input == nil || own.Output == nil) { // half a price is none
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
