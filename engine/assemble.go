package engine

import (
	"time"

	"rung/compiler"
	"rung/model"
)

// Parts are what a Revision is made of.
type Parts struct {
	Number  uint64
	At      time.Time
	Mode    Mode
	Cluster *model.Cluster
	Broken  []model.Broken
	// Desired are the compiled rows; nil compiles the cluster.
	Desired *compiler.Desired
	Zones   []*model.ZoneState // by name
	Sources []model.SourceState
	Undo    string
	Plan    *PlanState
	// MaxPriority is the largest supported priority, model.MaxPriority when 0.
	MaxPriority int32
	// Features shape the rows when the cluster is compiled here.
	Features Features
	Loaded   bool
	Access   Access
	Sweep    SweepState
}

// Compile compiles the cluster. Features that cannot be read are left out.
func (p *Parts) Compile() *compiler.Desired {
	f := Flags{MaxPriority: p.MaxPriority, Features: p.Features}
	return compiler.Compile(p.Cluster, f.CompilerOptions())
}

// Assemble makes a revision by hand, for whoever has no running engine: tests
// of views, and one-shot commands.
func Assemble(p Parts) *Revision {
	if p.MaxPriority == 0 {
		p.MaxPriority = model.MaxPriority
	}
	if p.Cluster == nil {
		p.Cluster = &model.Cluster{}
	}
	if p.Desired == nil {
		p.Desired = p.Compile()
	}
	return &Revision{
		Number: p.Number, At: p.At, Mode: p.Mode, Cluster: p.Cluster, Broken: p.Broken, Zones: p.Zones,
		Sources: p.Sources, Undo: p.Undo, Plan: p.Plan, Loaded: p.Loaded, Access: p.Access, Sweep: p.Sweep,
		desired: p.Desired, maxPriority: p.MaxPriority, shared: &derived{}, rows: &rowsBoard{},
	}
}
