package ui

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"rung/engine/statedir"
	"rung/model/clean"
	"rung/ui/nav"
	"rung/ui/view"
)

// copyMenu lets one of the things that can be copied here be chosen.
func (m *root) copyMenu() {
	e := m.top()
	env := m.sync(e)
	var copies []view.Copy
	if c, ok := e.view.(view.Copier); ok {
		copies = c.Copies(env)
	}
	if len(copies) == 0 {
		copies = m.copiesOf(e.view.Selected())
	}
	if len(copies) == 0 {
		copies = m.copiesOf(e.page)
	}
	switch len(copies) {
	case 0:
		m.say(view.ToastAsk{Text: "nothing to copy here", Bad: true})
		return
	case 1:
		m.copyText(copies[0])
		return
	}
	c := &view.Choose{Title: "copy", Done: func(env *view.Env, i int) { env.Copy(copies[i].What, copies[i].Text) }}
	keys := map[string]bool{"j": true, "k": true, "q": true}
	for _, x := range copies {
		key := ""
		for _, r := range strings.ToLower(x.What) {
			if k := string(r); r >= 'a' && r <= 'z' && !keys[k] {
				key, keys[k] = k, true
				break
			}
		}
		first, _, _ := strings.Cut(x.Text, "\n")
		c.Items = append(c.Items, view.Item{Key: key, Text: x.What, Note: ansi.Truncate(first, 36, "…")})
	}
	m.ask(c)
}

// copiesOf are the usual things to copy of what a page stands for.
func (m *root) copiesOf(p nav.Page) []view.Copy {
	return view.CopiesOf(m.env(m.top()), p)
}

var unsafeName = regexp.MustCompile(`[^a-z0-9._-]+`)

// save writes the text of the page to a file of its own.
func (m *root) save() {
	e := m.top()
	env := m.sync(e)
	text := ""
	if s, ok := e.view.(view.Saver); ok {
		text = s.SaveText(env)
	}
	if text == "" {
		lines := strings.Split(ansi.Strip(e.view.Render(env, env.W, env.H)), "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		text = strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
	}
	name := unsafeName.ReplaceAllString(strings.ToLower(e.page.Title()), "-")
	dir, file := env.SavedDir(), fmt.Sprintf("%.60s-%s.txt", name, env.Stamp())
	m.background("saving the page", func(context.Context) view.ToastAsk {
		path, err := statedir.Keep(dir, file, []byte(clean.Escape(text)))
		if err != nil {
			return view.ToastAsk{Text: "saving the page: " + err.Error(), Bad: true}
		}
		return view.ToastAsk{Text: "saved to " + path}
	})
}
