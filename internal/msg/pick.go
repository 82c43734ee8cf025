package msg

import "strings"

// Pick chooses the language. chosen is what the person asked for (a flag or a configuration value, "" = nothing); the
// others are the values of the environment variables of these names. As in POSIX the first of them that is not empty
// decides. ok is false when chosen is no language of ours; the language returned is then the environment's.
func Pick(chosen, lcAll, lcMessages, lang string) (l Lang, ok bool) {
	env := En
	for _, v := range []string{lcAll, lcMessages, lang} {
		if v != "" {
			env = fromLocale(v)
			break
		}
	}
	if chosen == "" {
		return env, true
	}
	switch strings.ToLower(chosen) {
	case string(Zh):
		return Zh, true
	case string(En):
		return En, true
	}
	return env, false
}

// fromLocale reads names such as zh_CN.UTF-8, zh-Hant and C.UTF-8.
func fromLocale(v string) Lang {
	name := strings.ToLower(v)
	if i := strings.IndexAny(name, "_-.@"); i >= 0 {
		name = name[:i]
	}
	if name == "zh" || name == "chinese" {
		return Zh
	}
	return En
}
