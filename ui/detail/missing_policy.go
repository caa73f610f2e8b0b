package detail

import (
	"strconv"

	"rung/model"
	"rung/model/words"
	"rung/revision"
)

// WhyNoPolicy says why a policy is missing: it could not be read, and where to fix it, or it no longer exists.
func WhyNoPolicy(r *revision.Revision, k model.PolicyKey) string {
	for _, b := range r.Broken {
		if b.Key != k || !b.IsError() {
			continue
		}
		at := b.Origin.Place()
		if b.Origin.File != "" && b.Origin.Line > 0 {
			at = model.Origin{File: b.Origin.File}.Place() + ":" + strconv.Itoa(b.Origin.Line)
		}
		fix := words.Choose(b.Origin.IsBuiltIn(), at+", which is built into Rung", "fix "+at)
		return "could not be read: " + words.Choose(at == "", b.Message, fix)
	}
	return "the policy no longer exists"
}
