package engine

import (
	"rung/model"
)

// commands are the kubectl lines that would do the same.
func commands(rev *Revision, p *Preview) []string {
	k := model.Kubectl{}
	if rev.Mode.Name == "cluster" {
		k.Context = rev.Mode.Title
	}
	var out []string
	applied := false
	for _, c := range p.Objects {
		line := k.Apply()
		switch {
		case c.New == nil:
			line = k.Delete(c.Key)
		case p.Mutation.Op == OpApply || c.Old == nil || len(c.Fields) != 1:
		case c.Fields[0].Path == "spec.priority":
			line = k.SetPriority(c.Key, c.Old.Priority, c.New.Priority)
		case c.onlyLogging() && c.New.HasLogging:
			line = k.Annotate(c.Key, model.AnnotationLogging, c.New.Logging)
		case c.onlyLogging():
			line = k.RemoveAnnotation(c.Key, model.AnnotationLogging)
		}
		if line == k.Apply() {
			if applied {
				continue // one line takes all documents
			}
			applied = true
		}
		out = append(out, line)
	}
	return out
}

// onlyLogging says whether nothing but the logging annotation changes.
func (c *ObjectChange) onlyLogging() bool {
	return c.Old.HasLogging != c.New.HasLogging || c.Old.Logging != c.New.Logging
}
