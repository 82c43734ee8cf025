package app

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/ordinary"
	"react-agent/kit/answer"
	"react-agent/kit/team"
)

// maxSchema bounds the file of --schema: it goes into every request.
const maxSchema = 256 << 10

// openSchema reads the file of --schema.
func (p *product) openSchema() error {
	if p.o.Schema == "" {
		return nil
	}
	if p.o.Demo || p.c.API == offlineAPI {
		return configError{msg.Errorf(msg.SchemaOffline)}
	}
	path := p.o.Schema
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.c.WorkDir, path)
	}
	data, info, err := ordinary.Read(path, maxSchema)
	switch wrong, ok := errors.AsType[*fs.PathError](err); {
	case ok:
		err = wrong.Err
	case err == nil && info.Size() > maxSchema:
		err = msg.Errorf(msg.SchemaLarge, "256 KiB")
	case err == nil:
		p.schema, err = answer.Parse(data)
	}
	if err != nil {
		return configError{msg.Errorf(msg.SchemaFile, p.o.Schema, err)}
	}
	return nil
}

// answers asks the agent of the run for an answer by the schema; sub-agents answer to the agent.
func (p *product) answers(child *team.Spec) agent.Hook {
	if p.schema == nil || child != nil {
		return agent.Hook{}
	}
	return p.schema.Hook(msg.For(p.c.Language))
}

// data is the JSON in an answer, nil when none was asked for or it does not fit.
func (p *product) data(text string) json.RawMessage {
	if p.schema == nil {
		return nil
	}
	raw, err := p.schema.Read(text)
	if err != nil {
		return nil
	}
	return raw
}
