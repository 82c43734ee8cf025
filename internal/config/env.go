package config

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"react-agent/internal/msg"
)

// prefix starts the variables that set a key: REACT_AGENT_MAX_STEPS, REACT_AGENT_SHELL_TIMEOUT_SECONDS.
const prefix = "REACT_AGENT_"

// envVar is a variable that is not empty; an empty one is as good as unset.
type envVar struct {
	value  string
	origin Origin
}

// environment notes the variables of the process.
func (l *loader) environment() {
	l.vars = make(map[string]envVar, len(l.src.Environ))
	for _, kv := range l.src.Environ {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			continue
		}
		if value == "" {
			delete(l.vars, name)
			continue
		}
		l.vars[name] = envVar{value: value, origin: Origin{Layer: LayerEnv, Name: name}}
	}
}

// dotEnv reads .env of the work directory. Variables of other programs in it are none of our business; those that
// look like ours are.
func (l *loader) dotEnv() map[string]envVar {
	l.dot = map[string]envVar{}
	if l.src.NoFiles {
		return l.dot
	}
	path := filepath.Join(l.c.WorkDir, ".env")
	data, err := os.ReadFile(path)
	if absent(err) {
		return l.dot
	}
	if err == nil {
		var clean []byte
		if clean, err = cleanText(data, path); err == nil {
			l.hash(path, data)
			l.readDotEnv(string(clean), path)
			l.moveByDotEnv()
			return l.dot
		}
		l.fail(err)
		return l.dot
	}
	l.fail(msg.Errorf(msg.ConfigUnreadable, err))
	return l.dot
}

func (l *loader) readDotEnv(data, path string) {
	list, bad := parseDotEnv(data)
	for _, s := range list {
		o := Origin{Layer: LayerDotEnv, Name: s.name, File: path, Line: s.line}
		if isProxy(s.name) {
			l.ignore(s.name, o, msg.Errorf(msg.ConfigProxyInDotEnv))
		}
		if s.value == "" {
			delete(l.dot, s.name)
			continue
		}
		l.dot[s.name] = envVar{value: s.value, origin: o}
	}
	for _, b := range bad {
		if l.isOurs(b.name) {
			l.fail(msg.Errorf(msg.ConfigDotEnvLine, place(path, b.line), b.name))
			continue
		}
		l.ignore(".env", Origin{Layer: LayerDotEnv, Name: b.name, File: path, Line: b.line}, msg.Errorf(msg.ConfigDotEnvSkipped))
	}
}

func isProxy(name string) bool {
	switch strings.ToUpper(name) {
	case "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR":
		return true
	}
	return false
}

// isOurs reports whether a variable means something to this program.
func (l *loader) isOurs(name string) bool {
	switch name {
	case "OPENAI_API_KEY", "OPENAI_BASE_URL", "MODEL_ID", "MODEL", "PORT", "WORKDIR", "PROFILE", agentCLI:
		return true
	}
	if strings.HasPrefix(name, prefix) {
		return true
	}
	for _, v := range l.src.Vendors {
		if slices.Contains(v.KeyEnv, name) {
			return true
		}
	}
	return false
}

// moveByDotEnv lets .env name the work directory, unless flag or environment did. Out of the directory it stands in
// only with trust.
func (l *loader) moveByDotEnv() {
	v, ok := l.dot["WORKDIR"]
	if !ok || l.c.origins["workdir"].Layer > LayerDotEnv {
		return
	}
	dir := ""
	f := field{key: "workdir", to: &dir, guard: outside}
	l.set(f, "workdir", text(v.value, v.origin))
	if dir != "" {
		l.moveTo(dir, v.origin)
	}
}

// setVars applies the variables of one layer: the source systems' names first, then our own, which are more exact.
func (l *loader) setVars(vars map[string]envVar) {
	fields := l.c.fields()
	byKey := func(key, name string, change func(string) string) {
		v, ok := vars[name]
		if !ok {
			return
		}
		for _, f := range fields {
			if f.key == key {
				l.set(f, key, text(change(v.value), v.origin))
			}
		}
	}
	same := func(s string) string { return s }
	byKey("profile", "PROFILE", same)
	byKey("model", "MODEL", same)
	byKey("model", "MODEL_ID", same)
	byKey("listen", "PORT", func(s string) string { return net.JoinHostPort("127.0.0.1", s) })
	known := map[string]bool{prefix + "CONFIG": true, prefix + "TOKEN": true} // the token is for a server elsewhere, see Remote
	l.setOwn(fields, "", prefix, vars, known)
	l.unknownVars(vars, known)
}

// setOwn applies REACT_AGENT_<KEY>, and for groups REACT_AGENT_<KEY>_<KEY>.
func (l *loader) setOwn(fields []field, path, name string, vars map[string]envVar, known map[string]bool) {
	for _, f := range fields {
		variable := name + strings.ToUpper(f.key)
		known[variable] = true
		if v, ok := vars[variable]; ok {
			l.set(f, path+f.key, l.fromText(f, v))
		}
		if g, ok := f.to.(group); ok {
			l.setOwn(guarded(g.fields(), f.guard), path+f.key+".", variable+"_", vars, known)
		}
	}
}

// fromText reads a variable's text. Lists are separated by commas or lines; what starts like YAML's brackets is YAML.
func (l *loader) fromText(f field, v envVar) node {
	n := text(v.value, v.origin)
	switch f.to.(type) {
	case *string, **string, *float64, **float64, *bool, **bool, positiveInt:
		return n
	}
	trimmed := strings.TrimSpace(v.value)
	if strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		parsed, err := parseValue([]byte(trimmed), v.origin)
		if err != nil {
			l.fail(err)
			return node{}
		}
		return parsed
	}
	switch f.to.(type) {
	case *[]string, *ruleList:
		n.kind = listNode
		for part := range strings.FieldsFuncSeq(v.value, func(r rune) bool { return r == ',' || r == '\n' }) {
			if part = strings.TrimSpace(part); part != "" {
				n.list = append(n.list, text(part, v.origin))
			}
		}
	}
	return n
}

// unknownVars reports variables that look like ours and are not.
func (l *loader) unknownVars(vars map[string]envVar, known map[string]bool) {
	var names []string
	for name := range known {
		names = append(names, name)
	}
	for name, v := range vars {
		if !strings.HasPrefix(name, prefix) || known[name] {
			continue
		}
		if near := Nearest(name, names); near != "" {
			l.ignore(name, v.origin, msg.Errorf(msg.ConfigUnknownVarNear, near))
		} else {
			l.ignore(name, v.origin, msg.Errorf(msg.ConfigUnknownVar))
		}
	}
}

// flags applies the command line, and its short forms.
func (l *loader) flags() {
	for _, f := range l.c.fields() {
		name := f.flag
		if name == "" {
			name = strings.ReplaceAll(f.key, "_", "-")
		}
		if v, ok := l.src.Flags[name]; ok && name != "-" {
			l.set(f, f.key, text(v, Origin{Layer: LayerFlag, Name: name}))
		}
	}
	if isTrue(l.src.Flags["yolo"]) {
		if o := l.c.origins["mode"]; o.Layer == LayerFlag && l.c.Mode != "yolo" {
			l.fail(msg.Errorf(msg.ConfigTwoModes, o, "--yolo"))
		} else {
			l.c.Mode, l.c.origins["mode"] = "yolo", Origin{Layer: LayerFlag, Name: "yolo"}
		}
	}
	l.c.Plan = isTrue(l.src.Flags["plan"])
	if isTrue(l.src.Flags["debug"]) {
		l.c.Log.Level, l.c.origins["log.level"] = "debug", Origin{Layer: LayerFlag, Name: "debug"}
	}
}

// checkListen takes host:port, :port and a port alone.
func checkListen(s string) error {
	_, err := listenAddress(s)
	return err
}

// ListenAddress is where the server is to listen, as host:port; "" when nobody says.
func (c *Config) ListenAddress() string {
	if c.Listen == "" {
		return ""
	}
	addr, err := listenAddress(c.Listen)
	if err != nil {
		return "" // Load has refused it
	}
	return addr
}

// ListensHere reports whether only this machine can reach the server.
func (c *Config) ListensHere() bool { return c.Listen == "" || loopback(c.Listen) }

func listenAddress(s string) (string, error) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		host, port = "127.0.0.1", s
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 0 || n > 65535 {
		return "", errNotListen
	}
	return net.JoinHostPort(host, port), nil
}

// loopback reports whether only this machine can reach the address.
func loopback(s string) bool {
	addr, err := listenAddress(s)
	if err != nil {
		return true // refused anyway
	}
	host, _, _ := net.SplitHostPort(addr)
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
