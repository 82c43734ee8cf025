package pipeline

import "strings"

// Type says what a block wants done.
type Type string

// The types of the protocol.
const (
	SubAgent Type = "llm_subagent"
	Bash     Type = "bash"
	Terminal Type = "terminal"
)

// Block is what a pipeline's program prints: the next step. A label that is absent leaves its field empty.
type Block struct {
	State, Step string
	// Type is as it was written, without a remark behind it; it may be none of the types.
	Type Type
	// Do is the standing instruction for sub-agents, Notes an advice, Then the command that is to follow.
	Do, Notes, Then string
	// Prompt, Input and Output are the lines of these labels, without those that are blank.
	Prompt, Input, Output []string
	// Run are the commands, one a line, as they were written.
	Run string
	// Other are the fields whose labels the protocol does not know, in their order.
	Other []Field
	// Outside is what was printed around the block.
	Outside string
}

// Field is a label with its lines.
type Field struct {
	Label string
	Lines []string
}

// blockOf gives the fields their places. A label that comes twice goes on.
func blockOf(fields []Field) *Block {
	b := &Block{}
	for _, f := range fields {
		switch f.Label {
		case "STATE":
			b.State = join(b.State, f.Lines)
		case "STEP":
			b.Step = join(b.Step, f.Lines)
		case "TYPE":
			word, _, _ := strings.Cut(strings.Join(f.Lines, " ")+" ", " ")
			b.Type = Type(strings.ToLower(word))
		case "DO":
			b.Do = join(b.Do, f.Lines)
		case "NOTES":
			b.Notes = join(b.Notes, f.Lines)
		case "THEN":
			b.Then = join(b.Then, f.Lines)
		case "PROMPT":
			b.Prompt = append(b.Prompt, filled(f.Lines)...)
		case "INPUT":
			b.Input = append(b.Input, filled(f.Lines)...)
		case "OUTPUT":
			b.Output = append(b.Output, filled(f.Lines)...)
		case "RUN":
			b.Run = strings.Trim(b.Run+"\n"+strings.Join(f.Lines, "\n"), "\n")
		default:
			b.Other = append(b.Other, f)
		}
	}
	return b
}

// join makes one line of a field.
func join(had string, lines []string) string {
	return strings.TrimSpace(had + " " + strings.Join(filled(lines), " "))
}

// filled drops blank lines and the blanks around the others.
func filled(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}
