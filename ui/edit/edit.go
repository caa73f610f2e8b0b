package edit

import (
	"context"
	"strings"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/engine/statedir"
	"rung/model/words"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/preview"
	"rung/ui/view"
)

// editState is the progress of the edit.
type editState int

const (
	begin    editState = iota
	editing            // the editor has the terminal
	checking           // the text is being validated
	stopped            // something is wrong, and the user decides how to go on
	shown              // the preview is on the page
	closed             // the page was closed
)

// editPage is the view.
type editPage struct {
	page nav.Page

	state       editState
	path        string // file of the text
	base        string // text the edit started from, or empty for a new policy
	first       string // first text given to the editor, without notes
	open        string // last text given to the editor, with notes
	beginLine   int    // line at which the editor opens again
	isInvalid   bool   // open is a text that does not validate
	problemText string // its mistakes, without line numbers
	title       string // summary of what is wrong
	stopReasons []string
	lines       []int        // lines of the mistakes in the open text, notes included
	mistakes    *detail.Pane // the mistakes as a list, if several
	pre         *preview.View
	// offered: the text was converted to today's form, so that saving it unchanged is a change
	offered    bool
	isApplied  bool      // the text was applied, and its file removed
	checkBegan time.Time // when checking the text began
}

// New makes the view.
func New(p nav.Page) view.View { return &editPage{page: p, mistakes: detail.NewPane()} }

// Messages of work done in goroutines.
type (
	fileOpened  struct{ err error }
	fileCreated struct {
		path string
		err  error
	}
	textEdited struct {
		text    string
		run, io error // errors of the editor, and of reading the text
	}
	textChecked struct {
		text string
		p    *gate.Preview
		err  error
	}
)

func (v *editPage) isNew() bool { return v.page.Key.Name == "" && !v.isFile() }

// isFile reports whether the page edits a whole file, since an object in it could not be read.
func (v *editPage) isFile() bool { return v.page.ID != "" && v.page.Text == "" }

// isProposed reports whether the first text differs from the policy's own.
func (v *editPage) isProposed() bool { return v.page.Text != "" }

func (v *editPage) policyName() string {
	switch {
	case v.isFile():
		return v.page.ID
	case v.isNew():
		return "new policy"
	}
	return v.page.Key.Label()
}

// Sync opens the editor when the page is shown for the first time.
func (v *editPage) Sync(env *view.Env) {
	switch v.state {
	case begin:
		v.startEdit(env)
	case shown:
		v.pre.Sync(env)
	case stopped:
		if v.listsMistakes() {
			v.layMistakes(env)
		}
	}
}

// startEdit writes the text to a file.
func (v *editPage) startEdit(env *view.Env) {
	*v = editPage{page: v.page, state: editing, mistakes: detail.NewPane()}
	if v.isFile() {
		path := v.page.ID
		env.Run("looking for the file", func(context.Context) any { return fileOpened{findFile(path)} })
		return
	}
	var notes []string
	file := "new"
	if v.isNew() {
		at := newPlace(&v.page)
		v.first, notes = env.Rev.System.Draft(at.Tier, at.Priority), newNotes(env.Rev, at)
	} else {
		p := env.Rev.Cluster.Changeable(v.page.Key)
		if p == nil {
			v.stopEdit(v.page.Key.Label()+" no longer exists", nil)
			return
		}
		v.first, v.base, notes = p.YAML, p.YAML, editNotes(p)
		file = p.Kind.Abbreviation() + "-" + p.Name
		if now := upgradedText(p); now != "" {
			v.first, v.offered = now, true
		}
	}
	if v.isProposed() {
		v.first, v.base, notes = v.page.Text, v.page.Base, append(strings.Split(v.page.ID, "\n"),
			"Edit it, then save and close the editor to preview it;", "nothing is written before you confirm.")
	}
	notes = append(notes, `Lines at the top that begin with "`+note+`" are not part of the text.`)
	v.open = withHead(notes, v.first)
	dir, text := env.StateDir, v.open
	env.Run("writing the text to a file", func(context.Context) any {
		path, err := statedir.NewDraft(dir, file, text)
		return fileCreated{path, err}
	})
}

// launchEditor gives the terminal to the editor.
func (v *editPage) launchEditor(env *view.Env, line int) {
	v.state = editing
	if v.isFile() {
		env.ExecProgram(editorCommand(v.page.ID, v.page.Rule), func(err error) any { return textEdited{run: err} })
		return
	}
	path := v.path
	env.ExecProgram(editorCommand(path, line), func(err error) any {
		text, ioerr := statedir.ReadDraft(path)
		return textEdited{text, err, ioerr}
	})
}

// ReceiveResult moves on to the next step.
func (v *editPage) ReceiveResult(env *view.Env, msg any) {
	switch m := msg.(type) {
	case fileCreated:
		v.path = m.path
		if m.err != nil {
			v.stopEdit("The text could not be written to a file", []string{m.err.Error()})
			return
		}
		v.launchEditor(env, v.firstLine())
	case fileOpened:
		if m.err != nil {
			v.stopEdit(words.Choose(v.isFile(), "The file cannot be opened", "The text could not be written to its file"), []string{m.err.Error()})
			return
		}
		if v.state != stopped {
			v.launchEditor(env, v.beginLine)
		}
	case textEdited:
		v.takeEdited(env, m)
	case textChecked:
		v.judgeChecked(env, m)
	default:
		if v.pre != nil {
			v.pre.ReceiveResult(env, msg)
		}
	}
}

// firstLine returns the number of the text's first line, after the notes. The editor opens there.
func (v *editPage) firstLine() int {
	return strings.Count(v.open[:len(v.open)-len(withoutHead(v.open))], "\n") + 1
}

// takeEdited takes the text that the editor saved.
func (v *editPage) takeEdited(env *view.Env, m textEdited) {
	switch {
	case notStarted(m.run):
		v.stopEdit("The editor could not be started", []string{m.run.Error(), "Set VISUAL or EDITOR to an editor that is installed."})
	case v.isFile() && m.run != nil:
		v.stopEdit("The editor ended with "+m.run.Error(), nil)
	case v.isFile():
		v.closePage(env, false, v.page.ID+" is read again when it has changed")
	case isDeleted(m.io):
		v.path = "" // no file to name or keep
		v.stopEdit("The editor deleted the text", []string{"Nothing was changed. " + env.KeyHint(action.EditEditor) + " starts over."})
	case m.io != nil:
		v.stopEdit("The text could not be read back", []string{m.io.Error()})
	case withoutHead(m.text) == v.first && !v.isInvalid && (!v.isProposed() && !v.offered || m.run != nil):
		what := "unchanged: nothing to apply"
		if m.run != nil {
			what = "the editor ended with " + m.run.Error() + "; nothing was changed"
		}
		v.closePage(env, true, what)
	case m.run != nil:
		v.stopEdit("The editor ended with "+m.run.Error()+"; its text was ignored", nil)
	case strings.TrimSpace(withoutHead(m.text)) == "":
		if v.isNew() {
			v.stopEdit("Nothing to create: the text is empty", nil)
			return
		}
		v.stopEdit("The text is empty", []string{"Emptying the text does not delete a policy: " +
			env.KeyHint(action.LadderDelete) + " on the ladder does."})
	case v.isInvalid && m.text == v.open:
		v.state = stopped // its reasons are shown already
	default:
		v.checkText(env, withoutHead(m.text))
	}
}

// checkText validates the text in a goroutine.
func (v *editPage) checkText(env *view.Env, text string) {
	v.state, v.checkBegan = checking, env.Now
	console, m := env.Console, v.textMutation(text)
	env.Run("validating", func(ctx context.Context) any {
		p, err := console.Preview(ctx, m)
		return textChecked{text, p, err}
	})
}

func (v *editPage) textMutation(text string) change.Mutation {
	m := change.Mutation{Op: change.OpApply, YAML: []byte(text), Wanted: v.page.Wanted}
	if v.base != "" {
		m.Base = []byte(v.base)
	}
	return m
}

// judgeChecked returns an invalid text to the editor, and previews a valid one.
func (v *editPage) judgeChecked(env *view.Env, m textChecked) {
	if m.err != nil {
		v.stopEdit("The text could not be checked", []string{m.err.Error()})
		return
	}
	if wrong := v.findMistakes(env.Rev, m.text, m.p); len(wrong) > 0 {
		v.sendBack(env, m.text, wrong)
		return
	}
	v.state, v.isInvalid = shown, false
	v.pre = preview.PreviewMutation(v.textMutation(m.text), preview.PreviewOptions{Known: m.p,
		Edit: v.editAgain, Kept: v.path,
		Cancel: func(env *view.Env) { v.closePage(env, false, "nothing was changed; your text is kept in "+v.path) },
		Written: func(env *view.Env) {
			path := v.path
			env.Run("", func(context.Context) any { statedir.DropDraft(path); return nil })
			v.state, v.isApplied = shown, true
		},
	})
	v.pre.Sync(env)
}

// reopenEditor opens the editor again with notes on top.
func (v *editPage) reopenEditor(env *view.Env, notes []string, text string, line int) {
	v.open, v.isApplied = withHead(notes, text), false
	path, whole, above := v.path, v.open, v.firstLine()-1
	env.Run("writing the text to a file", func(context.Context) any { return fileOpened{statedir.WriteDraft(path, whole)} })
	v.beginLine = above + max(1, line)
}

// editAgain continues editing: from the preview, after a conflict from the present object, or after an error.
func (v *editPage) editAgain(env *view.Env) {
	if v.state == closed {
		v.startEdit(env)
		return
	}
	if v.pre == nil {
		v.isInvalid = v.open != "" && v.isInvalid
		if v.path == "" { // no file was written yet
			v.startEdit(env)
			return
		}
		v.launchEditor(env, max(v.chosenLine(), 1))
		return
	}
	m, notes := v.pre.CurrentMutation(), []string{"editing " + v.policyName() + " again; nothing was written yet."}
	if len(m.Base) > 0 {
		v.base = string(m.Base)
	}
	if c := v.pre.MergeConflict(); c != nil && c.Now != "" {
		v.base = c.Now
		notes = append(notes, c.Key.Label()+" was changed meanwhile, as follows. Copy what you want to keep into your text;",
			"saving replaces it.", c.Diff)
	}
	v.state, v.pre = editing, nil
	v.reopenEditor(env, notes, string(m.YAML), 1)
}

// KeptFiles returns the files of a text being edited or previewed: its own, and leftovers of the editor.
func (v *editPage) KeptFiles() []string {
	if v.path == "" || v.isApplied || v.state == closed {
		return nil
	}
	return statedir.DraftFiles(v.path)
}

// stopEdit shows an error and leaves the decision to the user.
func (v *editPage) stopEdit(title string, why []string) {
	v.state, v.title, v.stopReasons, v.lines = stopped, title, why, nil
}

// closePage leaves the page; remove deletes the file.
func (v *editPage) closePage(env *view.Env, remove bool, say string) {
	path := v.path
	if remove && path != "" {
		env.Run("", func(context.Context) any { statedir.DropDraft(path); return nil })
	}
	env.ShowText("%s", say)
	v.state = closed
	env.GoBack()
}

// Scopes returns the keys of the edit, and of lists if mistakes are listed.
func (v *editPage) Scopes() []action.Scope {
	if v.listsMistakes() {
		return []action.Scope{action.PageScope(nav.Edit), action.List, action.Global}
	}
	return []action.Scope{action.PageScope(nav.Edit), action.Global}
}
