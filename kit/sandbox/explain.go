package sandbox

import (
	"path/filepath"
	"strings"
)

// What the model is told. They are short: each stands below the output of a command that has failed.
const (
	saysNoNetwork = "[sandbox: no network here; if the command needs it, call again with unsandboxed: true, which asks the person]"
	saysReadOnly  = "[sandbox: %s cannot be changed here, only the work directory and /tmp; if the command needs it, call again with unsandboxed: true, which asks the person]"
	saysHidden    = "[sandbox: %s is hidden here; if the command needs it, call again with unsandboxed: true, which asks the person]"
	saysPowers    = "[sandbox: commands have no special powers and do not see other processes here; if this one needs that, call again with unsandboxed: true, which asks the person]"
)

// Explain gives a line for the model when the output of a failed command shows that the sandbox was in the way: no
// network, a place that is read-only or hidden, something that needs powers. It gives "" when nothing points to it, and
// when nothing holds commands.
func (s *Sandbox) Explain(output string) string {
	if s == nil || output == "" {
		return ""
	}
	f := s.try()
	if f.err != nil || f.kind == Off {
		return ""
	}
	s.sweep()
	if len(output) > maxExplained {
		output = output[len(output)-maxExplained:]
	}
	if !s.o.Network && hasAny(output, networkSigns()) {
		return saysNoNetwork
	}
	m, err := s.places(s.private())
	if err != nil {
		return ""
	}
	for line := range strings.Lines(output) {
		if said := s.explainLine(line, m, f); said != "" {
			return said
		}
	}
	return ""
}

// maxExplained bounds how much of an output is looked at, from its end.
const maxExplained = 16 << 10

func (s *Sandbox) explainLine(line string, m places, f finding) string {
	switch {
	case strings.HasPrefix(line, "mount:"), strings.HasPrefix(line, "umount:"):
		return saysPowers
	case hasAny(line, readOnlySigns()):
		return strings.Replace(saysReadOnly, "%s", or(s.refused(line, m), "this place"), 1)
	case hasAny(line, deniedSigns()):
		if path := s.refused(line, m); path != "" {
			if m.at(path) == hidden {
				return strings.Replace(saysHidden, "%s", path, 1)
			}
			if f.kind == Landlock || m[path].Fixed {
				return strings.Replace(saysReadOnly, "%s", path, 1)
			}
		}
		if hasAny(line, powerSigns()) {
			return saysPowers
		}
	case hasAny(line, goneSigns()):
		if path := s.refused(line, m); path != "" && m.at(path) == hidden {
			return strings.Replace(saysHidden, "%s", path, 1)
		}
	}
	return ""
}

// refused is the last path in the line that commands cannot write; what comes before it may be the program that complains.
func (s *Sandbox) refused(line string, m places) string {
	last := ""
	for _, word := range candidates(line) {
		word = expand(word, s.home)
		if !filepath.IsAbs(word) {
			continue
		}
		path := filepath.Clean(word)
		if target, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(target, filepath.Base(path))
		}
		if path != "/" && m.at(path) != write {
			last = path
		}
	}
	return last
}

// candidates are the parts of a line that may be paths: what stands in quotes, else between blanks and colons.
func candidates(line string) []string {
	const quotes = "'\"`‘’“”"
	var list []string
	for i, part := range strings.FieldsFunc(" "+line, func(r rune) bool { return strings.ContainsRune(quotes, r) }) {
		if i%2 == 1 {
			list = append(list, part)
			continue
		}
		list = append(list, strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune(" \t\r\n:;,()[]", r) })...)
	}
	return list
}

func hasAny(s string, signs []string) bool {
	for _, sign := range signs {
		if strings.Contains(s, sign) {
			return true
		}
	}
	return false
}

// networkSigns are what programs say, in English or Chinese, when there is no network.
func networkSigns() []string {
	return []string{
		"Could not resolve", "could not resolve", "Couldn't resolve", "Temporary failure in name resolution", "Temporary failure resolving",
		"Name or service not known", "Network is unreachable", "network is unreachable", "No route to host", "getaddrinfo", "EAI_AGAIN",
		"ENETUNREACH", "ENOTFOUND", "dial tcp", "dial udp", "failed to lookup address", "dns error", "nodename nor servname",
		"unable to resolve host", "unable to look up", "NameResolutionError", "UnknownHostException", "Failed to resolve",
		"域名解析暂时失败", "未知的名称或服务", "网络不可达", "无法解析",
	}
}

func readOnlySigns() []string {
	return []string{"Read-only file system", "read-only file system", "EROFS", "只读文件系统"}
}

func deniedSigns() []string {
	return []string{
		"Permission denied", "permission denied", "Operation not permitted", "operation not permitted", "EACCES", "EPERM",
		"Device or resource busy", "EBUSY", "Invalid cross-device link", "权限不够", "不允许的操作", "设备或资源忙", "无效的跨设备链接",
	}
}

func powerSigns() []string {
	return []string{"Operation not permitted", "operation not permitted", "EPERM", "不允许的操作"}
}

func goneSigns() []string {
	return []string{"No such file or directory", "no such file or directory", "ENOENT", "没有那个文件或目录", "cannot find", "not found"}
}
