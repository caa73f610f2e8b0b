package global

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"rung/engine/statedir"
	"rung/model/clean"
	"rung/ui/view"
)

// copySomething copies what there is to copy here; of several things one is chosen.
func copySomething(env *view.Env, v view.View) {
	var copies []view.Copy
	if c, ok := v.(view.Copier); ok {
		copies = c.Copies(env)
	}
	if len(copies) == 0 {
		copies = view.CopiesOf(env, v.Selected())
	}
	if len(copies) == 0 {
		copies = view.CopiesOf(env, env.Page)
	}
	switch len(copies) {
	case 0:
		env.Fail("nothing to copy here")
		return
	case 1:
		env.Copy(copies[0].What, copies[0].Text)
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
	env.Ask(c)
}

var unsafeName = regexp.MustCompile(`[^a-z0-9._-]+`)

// savePage writes the text of the page to a file of its own.
func savePage(env *view.Env, v view.View) {
	text := ""
	if s, ok := v.(view.Saver); ok {
		text = s.SaveText(env)
	}
	if text == "" {
		lines := strings.Split(ansi.Strip(v.Render(env, env.W, env.H)), "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		text = strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
	}
	name := unsafeName.ReplaceAllString(strings.ToLower(env.Page.Title()), "-")
	dir, file := env.SavedDir(), fmt.Sprintf("%.60s-%s.txt", name, env.Stamp())
	env.Run("saving the page", func(context.Context) any {
		path, err := statedir.Keep(dir, file, []byte(clean.Escape(text)))
		if err != nil {
			return view.ToastAsk{Text: "saving the page: " + err.Error(), Bad: true}
		}
		return view.ToastAsk{Text: "saved to " + path}
	})
}
