package logs

import (
	"strings"
	"time"

	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// lineSearch is a running search. It continues from frame to frame, so that a search in many lines never
// delays a key.
type lineSearch struct {
	dir      int    // 0: none
	fromLine uint64 // identity of the next line to check
}

// askSearch asks what to find.
func (v *logPage) askSearch(env *view.Env) {
	env.AskDialog(&view.PromptDialog{Title: "find",
		Label: "Text or regular expression; all lines stay, n and N go to matches.", Value: v.find.Text,
		Done: func(env *view.Env, text string) {
			v.find = widget.ParseFilter(strings.ReplaceAll(text, "→", ">")) // as in the texts searched
			if !v.find.IsEmpty() {
				v.startSearch(env, -1, true)
			}
		}})
}

// findNext goes to the next match in a direction.
func (v *logPage) findNext(env *view.Env, dir int) {
	if v.find.IsEmpty() {
		env.ShowFailure("nothing to find: %s asks for a text", env.KeyHint(action.Find))
		return
	}
	v.startSearch(env, dir, false)
}

// startSearch starts a search at the selected line (here) or next to it.
func (v *lineWalk) startSearch(env *view.Env, dir int, here bool) {
	i := v.cursorLine()
	if !here {
		i += dir
	}
	v.setPaused(true)
	if i < 0 || i >= v.list.n {
		env.ShowText("no further match")
		return
	}
	v.seek = lineSearch{dir, v.list.idAt(i)}
	if !v.seekOn() {
		env.ShowText("no further match")
	}
}

// seekOn searches for a moment; false if the search ended without a match.
func (v *lineWalk) seekOn() bool {
	begin := time.Now()
	for i, n := v.list.findID(v.seek.fromLine), 0; ; i, n = i+v.seek.dir, n+1 {
		if i < 0 || i >= v.list.n {
			v.seek = lineSearch{}
			return false
		}
		if it := v.list.lineAt(i); v.find.MatchesText(v.feed.entryText(it.seq)) {
			v.sel, v.seek = it.id, lineSearch{}
			return true
		}
		if n%64 == 63 && time.Since(begin) > budget {
			v.seek.fromLine = v.list.idAt(i)
			return true
		}
	}
}
