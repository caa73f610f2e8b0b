package kube

import (
	"context"

	"rung/model"
)

// Source delivers objects. It publishes nothing half-read: an update is a whole
// step.
type Source interface {
	// Name identifies the source on screen.
	Name() string
	// Run delivers updates, one at a time, until ctx ends.
	Run(ctx context.Context, sink func(SourceUpdate))
}

// Update is one step of a source.
type SourceUpdate struct {
	Upsert []model.Object
	Remove []model.Key
	// Loaded says that the source has delivered everything it has, checked; it
	// cannot be taken back.
	Loaded bool
	// Broken replaces what the source reported as broken before, when
	// HasBroken is set.
	Broken    []model.Broken
	HasBroken bool
	State     model.SourceState
}
