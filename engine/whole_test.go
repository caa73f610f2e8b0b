package engine

import (
	"context"
	"testing"

	"rung/model"
	"rung/sources/kube"
)

type namedSource string

func (n namedSource) Name() string                                     { return string(n) }
func (n namedSource) Run(_ context.Context, _ func(kube.SourceUpdate)) {}

// What may not be read must not be taken for deleted: rows are written only once
// everything they are compiled from was read.
func TestWhole(t *testing.T) {
	resource := func(conn model.ConnState, rows bool) model.SourceResource {
		return model.SourceResource{Name: "x", Conn: conn, Rows: rows}
	}
	tests := map[string]struct {
		loaded    bool
		resources []model.SourceResource
		want      bool
	}{
		"files":                 {loaded: true, want: true},
		"not loaded":            {resources: []model.SourceResource{resource(model.ConnSynced, true)}},
		"all read":              {true, []model.SourceResource{resource(model.ConnSynced, true), resource(model.ConnSynced, false)}, true},
		"not served":            {true, []model.SourceResource{resource(model.ConnSynced, true), resource(model.ConnAbsent, true)}, true},
		"forbidden":             {true, []model.SourceResource{resource(model.ConnSynced, true), resource(model.ConnDenied, true)}, false},
		"never answered":        {true, []model.SourceResource{resource(model.ConnLost, true)}, false},
		"forbidden, no rows":    {true, []model.SourceResource{resource(model.ConnSynced, true), resource(model.ConnDenied, false)}, true},
		"not asked for as yet":  {true, []model.SourceResource{resource(model.ConnDialling, true)}, false},
		"no rows hang on it":    {true, []model.SourceResource{resource(model.ConnLost, false)}, true},
		"loaded without states": {loaded: true, resources: []model.SourceResource{}, want: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &loopState{engine: &Engine{cfg: Config{Sources: []kube.Source{namedSource("c")}}},
				loaded:  map[string]bool{"c": tt.loaded},
				sources: map[string]model.SourceState{"c": {Name: "c", Resources: tt.resources}}}
			if got := s.allRead(); got != tt.want {
				t.Fatalf("whole is %v, want %v", got, tt.want)
			}
			if !tt.want {
				return
			}
			s.sources["c"] = model.SourceState{Resources: []model.SourceResource{resource(model.ConnLost, true)}}
			if !s.allRead() {
				t.Error("what was read once is forgotten when the connection goes")
			}
		})
	}
}
