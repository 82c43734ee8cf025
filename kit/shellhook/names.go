package shellhook

import (
	"encoding/json"

	"react-agent/agent"
)

// aliases are the names that other agents have for a tool of ours, the best first.
func aliases(tool string) []string {
	switch tool {
	case "bash":
		return []string{"Bash"}
	case "read_file":
		return []string{"Read"}
	case "write_file":
		return []string{"Write"}
	case "edit_file":
		return []string{"Edit", "MultiEdit"}
	case "multi_edit":
		return []string{"MultiEdit", "Edit"}
	case "apply_patch":
		return []string{"Edit", "MultiEdit", "Write"} // a patch may do all of it
	case "list_dir":
		return []string{"LS"}
	case "glob":
		return []string{"Glob"}
	case "grep":
		return []string{"Grep"}
	case "web_fetch", "http_request":
		return []string{"WebFetch"}
	case "web_search":
		return []string{"WebSearch"}
	case "task", "agent", "spawn_agent":
		return []string{"Task", "Agent"}
	case "todo", "todo_write", "update_todos":
		return []string{"TodoWrite"}
	case "skill", "load_skill", "use_skill":
		return []string{"Skill"}
	}
	return nil
}

// fields are our names of arguments and those of other agents.
func fields() map[string]string {
	return map[string]string{"path": "file_path", "old_text": "old_string", "new_text": "new_string", "all": "replace_all"}
}

// outward adds the names that other agents have for arguments.
func outward(tool string, args json.RawMessage) json.RawMessage {
	if len(aliases(tool)) == 0 {
		return args
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(args, &m) != nil || m == nil {
		return args
	}
	for ours, theirs := range fields() {
		if v, ok := m[ours]; ok && m[theirs] == nil {
			m[theirs] = v
		}
	}
	if out, err := agent.EncodeJSON(m); err == nil {
		return out
	}
	return args
}

// inward takes those names out again: what a hook has changed under one of them counts.
func inward(tool string, sent, got json.RawMessage) json.RawMessage {
	if len(aliases(tool)) == 0 {
		return got
	}
	var old, m map[string]json.RawMessage
	if json.Unmarshal(sent, &old) != nil || json.Unmarshal(got, &m) != nil || m == nil {
		return got
	}
	for ours, theirs := range fields() {
		v, ok := m[theirs]
		if !ok || old[theirs] == nil || old[ours] == nil {
			continue
		}
		if m[ours] == nil || string(v) != string(old[theirs]) {
			m[ours] = v
		}
		delete(m, theirs)
	}
	if out, err := agent.EncodeJSON(m); err == nil {
		return out
	}
	return got
}
