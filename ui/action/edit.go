package action

import (
	"rung/engine/gate"
)

// The actions of the edit view and of the preview of a change.
const (
	EditEditor  ID = "edit.editor"
	EditPreview ID = "edit.preview"

	PreviewApply ID = "preview.apply"
	PreviewNo    ID = "preview.no"
	PreviewEdit  ID = "preview.edit"
	PreviewDiff  ID = "preview.diff"
	PreviewMerge ID = "preview.merge"
)

var edit = []Action{
	{ID: EditEditor, Keys: []string{"e"}, Title: "go on editing", Footer: 20, Help: "open the text in $EDITOR again"},
	{ID: EditPreview, Keys: []string{"p"}, Title: "preview", Footer: 30, Help: "what the change does to rows, before anything is written"},
}

// PreviewApply has no operation of its own: the preview says whether its
// change can be made.
var preview = []Action{
	{ID: PreviewNo, Keys: []string{"esc", "q"}, Title: "no", Footer: 10, Danger: gate.Harmless, Help: "leave everything as it is"},
	{ID: PreviewApply, Keys: []string{"a", "enter"}, Title: "yes", Footer: 20, Danger: gate.Confirmed, Help: "make the change, after a last question whose default is No"},
	{ID: PreviewEdit, Keys: []string{"e"}, Title: "keep editing", Footer: 30, Help: "go back to the text"},
	{ID: PreviewDiff, Keys: []string{"d"}, Title: "as text", Footer: 40, Help: "show the change as a difference of the texts, or field by field"},
	{ID: PreviewMerge, Keys: []string{"m"}, Title: "take the merge", Help: "put your change over the one that was made meanwhile, and preview that"},
}
