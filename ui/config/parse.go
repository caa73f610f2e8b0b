package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"rung/model/clean"
)

// ParseFile reads the text of a configuration file. Nothing that is wrong with it
// keeps the console from opening: what could be read holds, and CheckAll says the rest,
// all of it at once. A file that is no YAML counts as empty.
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

// noteSyntax notes what the YAML parser says; it begins with the line.
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

// noteProblem notes a problem: the place, what is wrong, and what is allowed.
func (c *Config) noteProblem(line int, key, what, allowed string) {
	text := c.file
	if line > 0 {
		text += " line " + strconv.Itoa(line)
	}
	if key != "" {
		text += ", " + key
	}
	text = strings.TrimPrefix(text+": "+what, ": ")
	if allowed != "" {
		text += " (" + allowed + ")"
	}
	c.problems = append(c.problems, clean.Text(text))
}

// settings are the settings there are.
var settings = []string{"theme", "color", "ascii", "mouse", "reduced-motion", "start", "keys", "hotkeys", "aliases", "views", "contexts", "protected",
	"api-release"}

// parseSettings takes the settings of the file one by one.
func (c *Config) parseSettings(n *yaml.Node) {
	const example = "allowed: one setting per line, such as theme: dark"
	n = resolveAlias(n)
	if n.Kind != yaml.MappingNode {
		if n.Tag != "!!null" {
			c.noteProblem(n.Line, "", "not a list of settings", example)
		}
		return
	}
	c.eachEntry(n, "", func(key string, k, v *yaml.Node) {
		switch key {
		case "theme":
			c.decodeValue(v, key, &c.Theme, "allowed: the name of a theme")
		case "color":
			c.decodeValue(v, key, &c.Color, "allowed: a colour mode, such as auto")
		case "start":
			c.decodeValue(v, key, &c.Start, "allowed: the name of a page, such as ladder")
		case "ascii":
			c.decodeValue(v, key, &c.ASCII, "allowed: true, false")
		case "mouse":
			c.decodeValue(v, key, &c.Mouse, "allowed: true, false")
		case "reduced-motion":
			c.decodeValue(v, key, &c.StillMotion, "allowed: true, false")
		case "keys":
			c.parseKeys(v)
		case "aliases":
			c.parseTexts(v, key, &c.Aliases, "a name and what it stands for, such as dns: pod kube-system/dns-0")
		case "hotkeys":
			c.parseTexts(v, key, &c.Hotkeys, "a key and what is typed after \":\", such as f5: findings")
		case "views":
			c.parseViews(v)
		case "contexts":
			c.parseContexts(v)
		case "protected":
			c.decodeValue(v, key, &c.Protected, "allowed: a list of namespaces, such as [vault, payments]")
		case "api-release":
			c.decodeValue(v, key, &c.APIRelease, "allowed: a release of network-policy-api, v0.1.5 or v0.2.0")
		default:
			c.noteProblem(k.Line, key, "unknown setting", "allowed: "+strings.Join(settings, ", "))
		}
	})
}

// eachEntry calls f for the entries of a mapping, once for each key.
func (c *Config) eachEntry(n *yaml.Node, under string, f func(key string, k, v *yaml.Node)) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		key := under + resolveAlias(k).Value
		if first := c.lines[key]; first > 0 {
			c.noteProblem(k.Line, key, "set twice", fmt.Sprintf("line %d holds", first))
			continue
		}
		c.lines[key] = k.Line
		f(key, k, v)
	}
}

// decodeValue decodes a value; one that does not fit is noted.
func (c *Config) decodeValue(v *yaml.Node, key string, into any, allowed string) bool {
	if err := v.Decode(into); err != nil {
		what := "a list or a group of settings"
		if r := resolveAlias(v); r.Kind == yaml.ScalarNode {
			what = strconv.Quote(r.Value)
		}
		c.noteProblem(v.Line, key, what+" does not fit here", allowed)
		return false
	}
	return true
}

// parseKeys takes the keys of actions, each action by itself.
func (c *Config) parseKeys(v *yaml.Node) {
	n := resolveAlias(v)
	if n.Kind != yaml.MappingNode {
		if n.Tag != "!!null" {
			c.noteProblem(v.Line, "keys", "not a list of actions", "allowed: actions with their keys, such as ladder.new: [n, ctrl+n]")
		}
		return
	}
	c.eachEntry(n, "keys.", func(key string, _, v *yaml.Node) {
		var keys []string
		if !c.decodeValue(v, key, &keys, "allowed: a list of keys, such as [n, ctrl+n]") {
			return
		}
		if c.Keys == nil {
			c.Keys = map[string][]string{}
		}
		c.Keys[strings.TrimPrefix(key, "keys.")] = keys
	})
}

// parseTexts takes texts by name, each by itself.
func (c *Config) parseTexts(v *yaml.Node, key string, into *map[string]string, allowed string) {
	n := resolveAlias(v)
	if n.Kind != yaml.MappingNode {
		if n.Tag != "!!null" {
			c.noteProblem(v.Line, key, "not a list of names", "allowed: "+allowed)
		}
		return
	}
	*into = map[string]string{}
	c.eachEntry(n, key+".", func(entry string, _, v *yaml.Node) {
		var text string
		if c.decodeValue(v, entry, &text, "allowed: "+allowed) {
			(*into)[strings.TrimPrefix(entry, key+".")] = clean.Line(text)
		}
	})
}

// parseViews takes the saved views, each by itself.
func (c *Config) parseViews(v *yaml.Node) {
	const allowed = "allowed: names of views, each with a page and a filter, such as denied: {page: logs, filter: verdict:drop}"
	n := resolveAlias(v)
	if n.Kind != yaml.MappingNode {
		if n.Tag != "!!null" {
			c.noteProblem(v.Line, "views", "not a list of views", allowed)
		}
		return
	}
	c.Views = map[string]SavedView{}
	c.eachEntry(n, "views.", func(entry string, _, v *yaml.Node) {
		var view SavedView
		group := resolveAlias(v)
		if group.Kind != yaml.MappingNode {
			c.noteProblem(v.Line, entry, "not a view", allowed)
			return
		}
		c.eachEntry(group, entry+".", func(key string, k, v *yaml.Node) {
			switch strings.TrimPrefix(key, entry+".") {
			case "page":
				c.decodeValue(v, key, &view.Page, allowed)
			case "filter":
				c.decodeValue(v, key, &view.Filter, allowed)
			default:
				c.noteProblem(k.Line, key, "unknown setting of a view", "allowed: page, filter")
			}
		})
		view.Filter = clean.Line(view.Filter)
		c.Views[strings.TrimPrefix(entry, "views.")] = view
	})
}

// parseContexts takes the settings of clusters.
func (c *Config) parseContexts(v *yaml.Node) {
	n := resolveAlias(v)
	if n.Kind != yaml.MappingNode {
		if n.Tag != "!!null" {
			c.noteProblem(v.Line, "contexts", "not a list of contexts", "allowed: contexts of the kubeconfig, each with write, readonly, theme")
		}
		return
	}
	c.Contexts = map[string]ContextSettings{}
	c.eachEntry(n, "contexts.", func(key string, _, v *yaml.Node) {
		var set ContextSettings
		context := resolveAlias(v)
		if context.Kind != yaml.MappingNode {
			if context.Tag != "!!null" {
				c.noteProblem(v.Line, key, "not a list of settings", "allowed: write, readonly, theme")
			}
			return
		}
		c.eachEntry(context, key+".", func(setting string, k, v *yaml.Node) {
			switch strings.TrimPrefix(setting, key+".") {
			case "write":
				c.decodeValue(v, setting, &set.Write, "allowed: true, false")
			case "readonly":
				c.decodeValue(v, setting, &set.ReadOnly, "allowed: true, false")
			case "theme":
				c.decodeValue(v, setting, &set.Theme, "allowed: the name of a theme")
			default:
				c.noteProblem(k.Line, setting, "unknown setting of a context", "allowed: write, readonly, theme")
			}
		})
		c.Contexts[strings.TrimPrefix(key, "contexts.")] = set
	})
}

// resolveAlias follows an alias to what it stands for.
func resolveAlias(n *yaml.Node) *yaml.Node {
	for range 10 {
		if n.Kind != yaml.AliasNode || n.Alias == nil {
			break
		}
		n = n.Alias
	}
	return n
}

// OverrideBy puts what the command line says over the file; empty says nothing.
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

// settingPlace is where a setting stands in the file, empty for one that a flag gave.
func (c *Config) settingPlace(key string) string {
	if line := c.lines[key]; line > 0 {
		return fmt.Sprintf("%s line %d, ", c.file, line)
	}
	return ""
}
