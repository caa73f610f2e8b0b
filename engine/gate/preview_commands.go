package gate

import (
	"slices"

	"rung/engine/revision"
	"rung/model"
	"rung/sources/kube"
)

// commands are the kubectl lines that would do the same.
func commands(rev *revision.Revision, p *Preview) (out []string) {
	for i := range p.Objects {
		// One line takes all documents of a text.
		if line := command(rev, p.Mutation, &p.Objects[i]); !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

func command(rev *revision.Revision, m Mutation, c *ObjectChange) string {
	k := rev.Mode.Kubectl
	switch {
	case c.New == nil:
		return k.Delete(c.Key)
	case m.Op == OpApply || c.Old == nil || len(c.Fields) != 1:
	case c.Fields[0].Path == "spec.priority":
		return k.SetPriority(c.Key, c.Old.Priority, c.New.Priority)
	case c.onlyLogging() && c.New.HasLogging:
		return k.Annotate(c.Key, model.AnnotationLogging, c.New.Logging)
	case c.onlyLogging():
		return k.RemoveAnnotation(c.Key, model.AnnotationLogging)
	}
	switch {
	case rev.Mode.Name != revision.ClusterMode:
		return k.Apply()
	case c.How == kube.VerbCreate:
		return k.Create()
	case c.How == kube.VerbApply:
		return k.ServerSideApply(m.Force)
	}
	return k.Replace()
}

// onlyLogging says whether nothing but the logging annotation changes.
func (c *ObjectChange) onlyLogging() bool {
	return c.Old.HasLogging != c.New.HasLogging || c.Old.Logging != c.New.Logging
}
