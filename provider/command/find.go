package command

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/provider/wire"
)

// Find looks for the program, as a call would. The error is of kind config and says how to get it.
func Find(c Config) (path string, err error) {
	m := &model{c}
	if len(c.CLI.Command) == 0 || c.CLI.Command[0] == "" {
		return "", m.fail(agent.ErrConfig, msg.Errorf(msg.ProgramNone, m.name(), strings.Join(programs(), ", ")))
	}
	program := c.CLI.Command[0]
	if strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) && c.Base != "" {
		program = filepath.Join(c.Base, program)
	}
	path, err = shell.Find(program)
	if err == nil && !filepath.IsAbs(path) {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		if gone := missing(path); gone != "" {
			return "", m.fail(agent.ErrConfig, msg.Errorf(msg.ProgramInterpreter, path, gone))
		}
		return path, nil
	}
	words := strings.Fields(program)
	switch {
	case c.CLI.Install != "":
		err = msg.Errorf(msg.ProgramInstall, program, c.CLI.Install)
	case len(words) > 1:
		err = msg.Errorf(msg.ProgramBlanks, program, strings.Join(words, ", "))
	default:
		err = msg.Errorf(msg.ProgramPath, program)
	}
	return "", m.fail(agent.ErrConfig, err)
}

// programs are the names of those that are known.
func programs() (names []string) {
	for _, p := range wire.Presets() {
		if p.CLI != nil {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return names
}

// missing is the program that a script names in its first line, if that is not there: the system says of it only that a
// file is missing, and not which.
func missing(path string) string {
	if runtime.GOOS == "windows" {
		return ""
	}
	f, err := os.Open(path)
	if err != nil { // one that may be run and not read
		return ""
	}
	defer func() { _ = f.Close() }()
	line, err := bufio.NewReader(io.LimitReader(f, 4<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	rest, script := strings.CutPrefix(line, "#!")
	if !script {
		return ""
	}
	rest = strings.Trim(rest, " \t\n") // a carriage return is part of the name
	if at := strings.IndexAny(rest, " \t"); at > 0 {
		rest = rest[:at]
	}
	if !filepath.IsAbs(rest) {
		return ""
	}
	if _, err = os.Stat(rest); errors.Is(err, fs.ErrNotExist) {
		return rest
	}
	return ""
}
