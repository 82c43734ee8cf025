package tool

import "react-agent/agent"

// masked is a result whose texts hide secrets.
func (e Env) masked(r agent.Result) agent.Result {
	for i := range r.Parts {
		r.Parts[i].Text = e.mask(r.Parts[i].Text)
	}
	return r
}

// restore puts secrets in the place of what stands for them in a text that is about to be written over current.
func (e Env) restore(current []byte, text string) (string, error) {
	if e.Secrets == nil || text == "" {
		return text, nil
	}
	return e.Secrets.Restore(current, text)
}
