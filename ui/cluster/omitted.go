package cluster

import (
	"strconv"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// OmittedView lists what answers leave out or assume.
type OmittedView struct {
	detail.PanePage

	// Inputs of the lines.
	rev *revision.Revision
	st  *themes.StyleSet
	w   int

	byLine map[string]*model.Omission // by line
}

// NewOmitted makes the view.
func NewOmitted(nav.Page) view.View { return &OmittedView{PanePage: detail.NewPage()} }

// Sync lists omissions, then assumptions.
func (v *OmittedView) Sync(env *view.Env) {
	if v.rev == env.Rev && v.st == env.Styles && v.w == env.W {
		return
	}
	v.rev, v.st, v.w, v.byLine = env.Rev, env.Styles, env.W, map[string]*model.Omission{}
	s := &detail.Sheet{St: env.Styles, W: env.W}
	var out, assumed []model.Omission
	for _, o := range revision.OmissionsOfAnswers(env.Rev, true) {
		if o.IsAssumption() {
			assumed = append(assumed, o)
		} else {
			out = append(out, o)
		}
	}
	if len(out)+len(assumed) == 0 {
		s.AddNote("none", 0, words.Yes, env.Styles.OK, env.Styles.Text, "Everything was read, and answers take all of it into account.")
	}
	if len(out) > 0 {
		s.AddHead("not counted: " + words.Count(len(out), "thing") + "; affected answers say so")
		v.listOmissions(env, s, out, words.Warned, env.Styles.Warn)
	}
	if len(assumed) > 0 {
		s.AddHead("assumed")
		v.listOmissions(env, s, assumed, words.Noted, env.Styles.Dim)
	}
	v.Pane.SetItems(s.Lines)
}

func (v *OmittedView) listOmissions(env *view.Env, s *detail.Sheet, all []model.Omission, sign string, look themes.Style) {
	for i := range all {
		o := &all[i]
		id := "omitted." + strconv.Itoa(len(v.byLine))
		v.byLine[id] = o
		s.AddParagraph(id, 0, sign, look, env.Styles.Text, o.String(), omissionPage(env.Rev, o))
		if o.Remedy != "" {
			for _, line := range widget.FlowText(o.Remedy, s.TextWidth()-2) {
				s.AddUnder(2, line, env.Styles.Dim)
			}
		}
	}
}

// omissionPage returns the page with more about an omission.
func omissionPage(r *revision.Revision, o *model.Omission) nav.Page {
	switch {
	case o.Zone != "":
		return nav.Page{Kind: nav.Rows, Zone: o.Zone}
	case o.Code == model.OmittedKind:
		return nav.NewPage(nav.Cluster)
	case o.Key.Kind == model.KindPod && o.Key.Name != "" && r.Cluster.Pod(o.Key.Namespace, o.Key.Name) != nil:
		return nav.ToPod(o.Key)
	case o.Key.Kind.IsPolicy() && r.Cluster.Policy(o.Key) != nil:
		return nav.ToPolicy(o.Key)
	}
	return nav.ToFile(o.Origin)
}

// file returns the page that edits the file of the selected omission; no page if it has none.
func (v *OmittedView) file() nav.Page {
	l, _ := v.Pane.SelectedItem()
	if o := v.byLine[l.ID]; o != nil {
		return nav.ToFile(o.Origin)
	}
	return nav.Page{}
}

// WhyNot says why there is no page of the selected omission, or no file to edit.
func (v *OmittedView) WhyNot(env *view.Env, id action.ID) string {
	l, _ := v.Pane.SelectedItem()
	o := v.byLine[l.ID]
	if id == action.OmittedEdit && v.file().IsNone() || id == action.Open && o != nil && omissionPage(env.Rev, o).IsNone() {
		if o == nil || o.Origin.File == "" {
			return "not from a file"
		}
		return words.Choose(o.Origin.IsBuiltIn(), "its file is built into Rung: rung -f PATH edits yours",
			"in no file that can be edited")
	}
	return ""
}

// OffersAction leaves impossible actions out of the hints.
func (v *OmittedView) OffersAction(env *view.Env, id action.ID) bool { return v.WhyNot(env, id) == "" }

// Do edits the file, or moves the cursor.
func (v *OmittedView) Do(env *view.Env, id action.ID) bool {
	if id == action.OmittedEdit {
		env.OpenPage(v.file())
		return true
	}
	return v.PanePage.Do(env, id)
}

// Copies offers the omission's text, and the place of its object.
func (v *OmittedView) Copies(*view.Env) []view.CopyItem {
	l, _ := v.Pane.SelectedItem()
	o := v.byLine[l.ID]
	if o == nil {
		return nil
	}
	out := []view.CopyItem{{What: "what is not counted", Text: o.String()}}
	if at := o.Origin.Place(); at != "" {
		out = append(out, view.CopyItem{What: "file and line", Text: at})
	}
	return out
}
