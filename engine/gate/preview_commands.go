package gate

import (
	"rung/engine/revision"
	"rung/model"
	"rung/sources/kube"
)

// commands are the kubectl lines that would do the same.
func commands(rev *revision.Revision, p *Preview) []string {
	k := rev.Mode.Kubectl
	whole := wholeCommand(rev, k, p)
	var out []string
	applied := map[string]bool{}
	for _, c := range p.Objects {
		line := whole(c)
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
		if line == whole(c) {
			if applied[line] {
				continue // one line takes all documents
			}
			applied[line] = true
		}
		out = append(out, line)
	}
	return out
}

// wholeCommand is the line that writes whole documents: files know only one.
func wholeCommand(rev *revision.Revision, k model.Kubectl, p *Preview) func(ObjectChange) string {
	return func(c ObjectChange) string {
		if rev.Mode.Name != revision.ClusterMode {
			return k.Apply()
		}
		switch c.How {
		case kube.VerbCreate:
			return k.Create()
		case kube.VerbApply:
			return k.ServerSideApply(p.Mutation.Force)
		}
		return k.Replace()
	}
}

// onlyLogging says whether nothing but the logging annotation changes.
func (c *ObjectChange) onlyLogging() bool {
	return c.Old.HasLogging != c.New.HasLogging || c.Old.Logging != c.New.Logging
}
