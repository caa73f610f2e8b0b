package preview_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"rung/change/write"
	"rung/model"
	"rung/revision"
	"rung/sources/kube"
	"rung/test/given/troubled"
	"rung/test/uitest"
)

// without is a source of which some kinds were not read.
type without struct {
	kube.Source
	kinds []model.Kind
	conn  model.ConnState
	why   string
}

func (w without) Run(ctx context.Context, sink func(kube.SourceUpdate)) {
	w.Source.Run(ctx, func(u kube.SourceUpdate) {
		u.Upsert = slices.DeleteFunc(slices.Clone(u.Upsert), func(o model.Object) bool { return slices.Contains(w.kinds, o.ObjectKey().Kind) })
		for _, k := range w.kinds {
			u.State.Resources = append(u.State.Resources, model.SourceResource{Name: string(k), Kind: k, Conn: w.conn, Error: w.why, Rows: true})
		}
		sink(u)
	})
}

// TestUnreadPreviews has each kind of change previewed while a kind that decides was refused or is still being
// read: none says that nothing changes, each says what is left out and asks for a name.
func TestUnreadPreviews(t *testing.T) {
	changes := map[string][]string{
		"move":   {"j", "j", "m", "4", "1", "enter"},
		"delete": {"j", "j", "j", "j", "D"},
	}
	for _, state := range []string{"refused", "loading"} {
		for _, kind := range []model.Kind{model.KindPod, model.KindNamespace, model.KindNP, model.KindBANP} {
			for change, keys := range changes {
				t.Run(state+" "+string(kind)+" "+change, func(t *testing.T) {
					src := without{write.NewFiles(write.FileOptions{Demo: troubled.Files}), []model.Kind{kind}, model.ConnDialling, ""}
					if state == "refused" {
						src.conn, src.why = model.ConnDenied, "jane may not list it"
					}
					g := uitest.NewGatedFrom(t, src, func(f *revision.Facts) {
						f.Sources = nil
						f.Sources = append(f.Sources, model.SourceState{Name: "demo", Conn: model.ConnSynced, Resources: []model.SourceResource{
							{Name: string(kind), Kind: kind, Conn: src.conn, Error: src.why, Rows: true}}})
					})
					s := open(t, g)
					s.Resize(120, 100)
					s.Press(keys...)
					why := "still reading demo"
					if state == "refused" {
						why = strings.TrimSuffix(string(kind), "y") // of the plural
					}
					s.Want("effect on connections unknown", why, "apply (type ")
					s.WantNot("no verdict changes", "connections that change")
				})
			}
		}
	}
}
