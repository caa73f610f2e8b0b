package kube

import (
	"context"

	"rung/model"
)

// Source delivers objects. Every update is a whole step, so nothing half-read is published.
type Source interface {
	// Name is the source's name on screen.
	Name() string
	// Run delivers updates, one at a time, until ctx ends.
	Run(ctx context.Context, sink func(SourceUpdate))
}

// Update is one step of a source.
type SourceUpdate struct {
	Upsert []model.Object
	Remove []model.Key
	// Loaded means the source has delivered all its objects, checked; it never becomes false again.
	Loaded bool
	// Broken replaces the problems reported before, if HasBroken is set.
	Broken    []model.Broken
	HasBroken bool
	State     model.SourceState
}
