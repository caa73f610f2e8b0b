package action

import (
	"rung/change"
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

	PreviewSection     ID = "preview.next-section"
	PreviewSectionBack ID = "preview.previous-section"
)

var edit = []Action{
	{ID: EditEditor, Keys: []string{"e"}, Title: "edit again", Footer: 20, Help: "open the text in $EDITOR again"},
	{ID: EditPreview, Keys: []string{"enter"}, Title: "preview", Footer: 30, Help: "show what the change would do to the rows; nothing is written yet"},
}

// PreviewApply has no operation of its own: the preview says whether its
// change can be made.
var preview = []Action{
	{ID: PreviewNo, Keys: []string{"esc", "q"}, Title: "no", Footer: 10, Danger: change.Harmless, Help: "change nothing and go back"},
	{ID: PreviewApply, Keys: []string{"a", "enter"}, Title: "apply", Footer: 20, Danger: change.Confirmed, Help: "apply the change, after a last question (the default is no)"},
	{ID: PreviewEdit, Keys: []string{"e"}, Title: "edit again", Footer: 30, Help: "go back to the text"},
	{ID: PreviewDiff, Keys: []string{"v"}, Title: "as text", Footer: 40, Help: "show the change as a text diff, or field by field"},
	{ID: PreviewSection, Keys: []string{"}"}, Title: "next section", Footer: 50, Help: "go to the next heading of a long preview; after the last, to the end"},
	{ID: PreviewSectionBack, Keys: []string{"{"}, Title: "previous section", Help: "go to the heading before; before the first, to the beginning"},
	{ID: PreviewMerge, Keys: []string{"u"}, Title: "merge", Help: "merge your change with the one made in the meantime, and preview the result"},
}
