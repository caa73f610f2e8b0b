package ui

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"rung/model/words"
)

// ParseFile reads the text of a configuration file. Errors never keep the console from opening: readable
// settings apply, and CheckAll returns all errors. A file that is not YAML counts as empty.
func ParseFile(path string, text []byte) Config {
	c := Config{file: path, lines: map[string]int{}}
	var doc yaml.Node
	switch err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&doc); {
	case errors.Is(err, io.EOF):
	case err != nil:
		c.noteSyntax(err)
	case len(doc.Content) == 1:
		c.parseSettings(doc.Content[0])
	}
	return c
}

// noteSyntax notes an error of the YAML parser, whose text begins with the line.
func (c *Config) noteSyntax(err error) {
	what := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if at, rest, ok := strings.Cut(strings.TrimPrefix(what, "line "), ": "); ok && strings.HasPrefix(what, "line ") {
		if n, err := strconv.Atoi(at); err == nil {
			line, what = n, rest
		}
	}
	c.noteProblem(line, "", "not valid YAML: "+what, "the file is ignored")
}

// noteProblem notes a problem: its place, its text, and the allowed values.
func (c *Config) noteProblem(line int, key, what, allowed string) {
	text := c.file
	if line > 0 {
		text += " line " + strconv.Itoa(line)
	}
	text += words.Between(", ", key, "")
	text = strings.TrimPrefix(text+": "+what, ": ")
	text += words.Between(" (", allowed, ")")
	c.problems = append(c.problems, words.CleanText(text))
}

// fileSettings lists the settings, each with its parser.
var fileSettings = []struct {
	key  string
	take func(c *Config, key string, v *yaml.Node)
}{
	{"theme", valueParser(func(c *Config) any { return &c.Theme }, "allowed: the name of a theme")},
	{"color", valueParser(func(c *Config) any { return &c.Color }, "allowed: a colour mode, such as auto")},
	{"ascii", valueParser(func(c *Config) any { return &c.ASCII }, "allowed: true, false")},
	{"mouse", valueParser(func(c *Config) any { return &c.Mouse }, "allowed: true, false")},
	{"reduced-motion", valueParser(func(c *Config) any { return &c.StillMotion }, "allowed: true, false")},
	{"start", valueParser(func(c *Config) any { return &c.Start }, "allowed: the name of a page, such as ladder")},
	{"keys", (*Config).parseKeys},
	{"hotkeys", func(c *Config, key string, v *yaml.Node) {
		c.Hotkeys = c.parseTexts(key, v, "allowed: a key and a command, such as f5: findings")
	}},
	{"aliases", func(c *Config, key string, v *yaml.Node) {
		c.Aliases = c.parseTexts(key, v, "allowed: a name and a command, such as dns: pod kube-system/dns-0")
	}},
	{"views", (*Config).parseViews},
	{"contexts", (*Config).parseContexts},
	{"protected", valueParser(func(c *Config) any { return &c.Protected }, "allowed: a list of namespaces, such as [vault, payments]")},
	{"api-release", valueParser(func(c *Config) any { return &c.APIRelease }, "allowed: a release of network-policy-api, v0.1.5 or v0.2.0")},
}

// valueParser returns the parser of a setting with one value.
func valueParser(field func(*Config) any, allowed string) func(c *Config, key string, v *yaml.Node) {
	return func(c *Config, key string, v *yaml.Node) { c.decodeValue(v, key, field(c), allowed) }
}

// parseSettings parses the settings of the file.
func (c *Config) parseSettings(n *yaml.Node) {
	c.eachEntry(n, "", "not a list of settings", "allowed: one setting per line, such as theme: dark", func(key string, k, v *yaml.Node) {
		var names []string
		for _, s := range fileSettings {
			if s.key == key {
				s.take(c, key, v)
				return
			}
			names = append(names, s.key)
		}
		c.noteProblem(k.Line, key, "unknown setting", "allowed: "+strings.Join(names, ", "))
	})
}

// eachEntry calls f for each key of a mapping; setting is empty for the file itself. A null value has no
// entries; any other value is noted as wrong.
func (c *Config) eachEntry(v *yaml.Node, setting, wrong, allowed string, f func(name string, k, v *yaml.Node)) {
	n := resolveAlias(v)
	if n.Kind != yaml.MappingNode {
		if n.Tag != "!!null" {
			c.noteProblem(v.Line, setting, wrong, allowed)
		}
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		name := resolveAlias(k).Value
		key := strings.TrimPrefix(setting+"."+name, ".")
		if first := c.lines[key]; first > 0 {
			c.noteProblem(k.Line, key, "set twice", fmt.Sprintf("line %d holds", first))
			continue
		}
		c.lines[key] = k.Line
		f(name, k, v)
	}
}

// decodeValue decodes a value; a value of the wrong type is noted.
func (c *Config) decodeValue(v *yaml.Node, key string, into any, allowed string) bool {
	if err := v.Decode(into); err != nil {
		what := "a list or a group of settings"
		if r := resolveAlias(v); r.Kind == yaml.ScalarNode {
			what = strconv.Quote(r.Value)
		}
		c.noteProblem(v.Line, key, what+" is not allowed here", allowed)
		return false
	}
	return true
}

// parseKeys parses the keys of actions, each action by itself.
func (c *Config) parseKeys(key string, v *yaml.Node) {
	c.Keys = map[string][]string{}
	c.eachEntry(v, key, "not a list of actions", "allowed: actions with their keys, such as ladder.new: [n, ctrl+n]",
		func(id string, _, v *yaml.Node) {
			var keys []string
			if c.decodeValue(v, key+"."+id, &keys, "allowed: a list of keys, such as [n, ctrl+n]") {
				c.Keys[id] = keys
			}
		})
}

// parseTexts parses texts by name, each by itself.
func (c *Config) parseTexts(key string, v *yaml.Node, allowed string) map[string]string {
	out := map[string]string{}
	c.eachEntry(v, key, "not a list of names", allowed, func(name string, _, v *yaml.Node) {
		var text string
		if c.decodeValue(v, key+"."+name, &text, allowed) {
			out[name] = words.CleanLine(text)
		}
	})
	return out
}

// parseViews parses the saved views, each by itself.
func (c *Config) parseViews(key string, v *yaml.Node) {
	const allowed = "allowed: names of views, each with a page and with filter, sort, wide, columns, such as denied: {page: logs, filter: " +
		"verdict:drop}"
	c.Views = map[string]SavedView{}
	c.eachEntry(v, key, "not a list of views", allowed, func(name string, _, v *yaml.Node) {
		var view SavedView
		c.eachEntry(v, key+"."+name, "not a view", allowed, func(field string, k, v *yaml.Node) {
			switch at := key + "." + name + "." + field; field {
			case "page":
				c.decodeValue(v, at, &view.Page, allowed)
			case "filter":
				c.decodeValue(v, at, &view.Filter, allowed)
			case "sort":
				c.decodeValue(v, at, &view.Sort, "allowed: the title of a column, with - before it for descending, such as -ROWS")
			case "wide":
				c.decodeValue(v, at, &view.Wide, "allowed: true, false")
			case "columns":
				c.decodeValue(v, at, &view.Columns, "allowed: a list of columns of log lines, such as [time, rule]")
			default:
				c.noteProblem(k.Line, at, "unknown setting of a view", "allowed: page, filter, sort, wide, columns")
			}
		})
		view.Filter, view.Sort = words.CleanLine(view.Filter), words.CleanLine(view.Sort)
		c.Views[name] = view
	})
}

// parseContexts parses the settings of clusters.
func (c *Config) parseContexts(key string, v *yaml.Node) {
	const allowed = "allowed: write, readonly, theme"
	c.Contexts = map[string]ContextSettings{}
	c.eachEntry(v, key, "not a list of contexts", "allowed: contexts of the kubeconfig, each with write, readonly, theme",
		func(name string, _, v *yaml.Node) {
			var set ContextSettings
			c.eachEntry(v, key+"."+name, "not a list of settings", allowed, func(field string, k, v *yaml.Node) {
				switch at := key + "." + name + "." + field; field {
				case "write":
					c.decodeValue(v, at, &set.Write, "allowed: true, false")
				case "readonly":
					c.decodeValue(v, at, &set.ReadOnly, "allowed: true, false")
				case "theme":
					c.decodeValue(v, at, &set.Theme, "allowed: the name of a theme")
				default:
					c.noteProblem(k.Line, at, "unknown setting of a context", allowed)
				}
			})
			c.Contexts[name] = set
		})
}

// resolveAlias follows YAML aliases to their value.
func resolveAlias(n *yaml.Node) *yaml.Node {
	for range 10 {
		if n.Kind != yaml.AliasNode || n.Alias == nil {
			break
		}
		n = n.Alias
	}
	return n
}

// OverrideBy applies the flags of the command line; empty keeps the file's setting.
func (c *Config) OverrideBy(theme, color string, ascii, noMouse bool) {
	if theme != "" {
		c.Theme, c.themeGiven = theme, true
		delete(c.lines, "theme")
	}
	if color != "" {
		c.Color = color
		delete(c.lines, "color")
	}
	if ascii {
		c.ASCII = true
	}
	if noMouse {
		off := false
		c.Mouse = &off
	}
}

// settingPlace returns the place of a setting in the file, empty if a flag set it.
func (c *Config) settingPlace(key string) string {
	if line := c.lines[key]; line > 0 {
		return fmt.Sprintf("%s line %d, ", c.file, line)
	}
	return ""
}
