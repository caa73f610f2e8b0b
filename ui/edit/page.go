package edit

import (
	"context"
	"slices"

	"rung/engine/statedir"
	"rung/model"
	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// Do carries out an action.
func (v *editPage) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.EditEditor:
		v.editAgain(env)
	case action.EditPreview:
		v.state, v.checkBegan = checking, env.Now
		path := v.path
		env.Run("reading the text", func(context.Context) any {
			text, err := statedir.ReadDraft(path)
			return textEdited{text: text, io: err}
		})
		v.open = "" // take whatever the file says now
	case action.Back, action.Leave:
		if v.state == closed {
			return false
		}
		say := "nothing was changed"
		say += words.Between("; your text is kept in ", v.path, "")
		v.closePage(env, false, say)
	default:
		return v.listsMistakes() && v.mistakes.Do(id)
	}
	return true
}

// Click and Wheel move along the mistakes.
func (v *editPage) Click(_ *view.Env, _, y int) bool { return v.listsMistakes() && v.mistakes.Click(y) }

func (v *editPage) Wheel(_ *view.Env, lines int) {
	if v.listsMistakes() {
		v.mistakes.Wheel(lines)
	}
}

// WhyNot says why an action is not possible now.
func (v *editPage) WhyNot(_ *view.Env, id action.ID) string {
	if id != action.EditEditor && id != action.EditPreview {
		return ""
	}
	switch {
	case v.state == checking:
		return "the text is being checked"
	case v.state != stopped && v.state != closed:
		return "the editor is open"
	case v.path == "" && id == action.EditPreview:
		return "there is no text"
	}
	return ""
}

// OffersAction leaves impossible actions out of the hints.
func (v *editPage) OffersAction(env *view.Env, id action.ID) bool { return v.WhyNot(env, id) == "" }

// SelectedPage returns no page.
func (v *editPage) SelectedPage() nav.Page { return nav.Page{} }

// Crumb names the page.
func (v *editPage) Crumb() string {
	switch {
	case v.isFile():
		return "edit " + v.page.ID
	case v.isNew():
		at := newPlace(&v.page)
		place := model.PlaceText(at.Tier, at.Priority)
		if v.pre != nil {
			if written, ok := v.pre.NewPriority(); ok {
				place = written // in the text, which may say another
			}
		}
		return "new at " + place
	}
	return "edit " + v.page.Key.Name
}

// StateLine shows the progress.
func (v *editPage) StateLine(env *view.Env) widget.Line {
	switch v.state {
	case editing:
		return widget.StyledLine("in the editor", env.Styles.Info)
	case checking:
		return env.BusyLine(v.checkBegan, "checking")
	case stopped:
		return widget.StyledLine("nothing is written", env.Styles.Dim)
	}
	return nil
}

// FrontView returns the preview of the text, nil if none.
func (v *editPage) FrontView() view.View {
	if v.state != shown {
		return nil
	}
	return v.pre
}

// Copies offers the path of the text.
func (v *editPage) Copies(*view.Env) []view.CopyItem {
	if v.path != "" {
		return []view.CopyItem{{What: "path of the text", Text: v.path}}
	}
	return nil
}

// Render draws the progress or the error.
func (v *editPage) Render(env *view.Env, w, h int) string {
	st := env.Styles
	if v.listsMistakes() {
		return v.mistakes.Render(st, w, h)
	}
	var lines []string
	say := func(mark, text string, style themes.Style) {
		for _, l := range widget.FlowText(widget.CleanText(text), max(1, w-6)) {
			lines = append(lines, widget.Line{{Text: "  " + mark + " ", Style: style}, {Text: l, Style: style}}.Render(w))
			mark = " "
		}
	}
	switch v.state {
	case editing:
		say("", v.policyName()+" is open in "+widget.CleanText(chosenEditor())+".", st.Text)
	case checking:
		if l := env.BusyLine(v.checkBegan, "checking the text"); l != nil {
			say("", l.String(), st.Info)
		}
	case closed:
		if v.isFile() {
			break
		}
		say("", v.policyName()+" was not changed. "+env.KeyHint(action.EditEditor)+" opens the editor again.", st.Text)
	case stopped:
		say(words.No, v.title+".", st.Error)
		for _, s := range v.stopReasons {
			say(" ", s, st.Text)
		}
		lines = append(lines, "")
		if !v.isFile() {
			say("", "Nothing was written.", st.Text)
		}
	}
	if v.path != "" && v.state != closed {
		say("", "The text is in "+v.path, st.Dim)
	}
	lines = slices.Insert(lines, 0, "")
	return widget.PadBlock(lines, h)
}
