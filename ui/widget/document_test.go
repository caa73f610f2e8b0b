package widget

import (
	"fmt"
	"testing"

	"rung/ui/action"
)

// A key leads from section to section of a document that is longer than the screen, there
// and back.
func TestSections(t *testing.T) {
	d := NewDoc()
	lines := []DocLine{{ID: "title", Line: PlainLine("title")}}
	for s := range 3 {
		lines = append(lines, DocLine{Line: Line{}, Skip: true}, DocLine{Line: PlainLine(fmt.Sprint("── section ", s)), Head: true, Skip: true})
		for i := range 8 {
			lines = append(lines, DocLine{ID: fmt.Sprint(s, ".", i), Line: PlainLine("line")})
		}
	}
	d.SetLines(lines)
	if d.IsLong() {
		t.Error("long before it was drawn")
	}
	d.Render(st, 40, 10)
	if !d.IsLong() {
		t.Error("31 lines are not long in 10")
	}
	for i, step := range []struct {
		by   int
		do   action.ID
		want string
		top  int
	}{
		{by: 1, want: "0.0", top: 2}, {by: 1, want: "1.0", top: 12}, {by: 1, want: "2.0", top: 21}, {by: 1, want: "2.7", top: 21},
		{by: -1, want: "2.0", top: 21}, {by: -1, want: "1.0", top: 12}, {do: action.Down, want: "1.1", top: 12},
		{by: -1, want: "1.0", top: 12}, {by: -1, want: "0.0", top: 2}, {by: -1, want: "title", top: 0}, {by: -1, want: "title", top: 0},
	} {
		if step.do != "" {
			d.Do(step.do)
		} else {
			d.GoSection(step.by)
		}
		d.Render(st, 40, 10)
		if d.SelectedID() != step.want || d.top != step.top {
			t.Errorf("step %d: on %s with line %d first, want %s and %d", i, d.SelectedID(), d.top, step.want, step.top)
		}
	}
	d.Render(st, 40, 40)
	if d.IsLong() {
		t.Error("all of it is seen, and it is long")
	}
	d.SetLines([]DocLine{{Line: PlainLine("a")}, {Line: PlainLine("b")}})
	d.GoSection(1)
	d.GoSection(-1)
	d.SetLines(nil)
	d.GoSection(1)
	d.GoSection(-1)
}
