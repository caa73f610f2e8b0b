package revision

import (
	"fmt"
	"strings"

	"rung/model"
	"rung/model/words"
)

// SubjectCount is how many pods a policy applies to: the one count of ladder, policy page,
// preview and command line.
type SubjectCount struct {
	// Pods are those it is enforced on; Apart those whose primary network is a
	// user-defined one, where it is not.
	Pods, Apart int
}

// All is how many pods the subject selects.
func (n SubjectCount) All() int { return n.Pods + n.Apart }

// String is "38 pods", and where two counts could be meant both:
// "38 of 39 pods: 1 on a user-defined network".
func (n SubjectCount) String() string {
	if n.Apart == 0 {
		return words.Total(n.Pods, "pod")
	}
	return fmt.Sprintf("%s of %s: %s on a user-defined network", words.Thousands(n.Pods), words.Total(n.All(), "pod"), words.Thousands(n.Apart))
}

// Brief is String without the reason: "38 pods", "38 of 39 pods".
func (n SubjectCount) Brief() string {
	text, _, _ := strings.Cut(n.String(), ":")
	return text
}

// Short is "38", or "38/39".
func (n SubjectCount) Short() string {
	if n.Apart == 0 {
		return words.Thousands(n.Pods)
	}
	return words.Thousands(n.Pods) + "/" + words.Thousands(n.All())
}

// SubjectCount counts the pods a policy applies to; of a policy that has no rows those it
// would apply to, as MeantPods has them.
func (r *Revision) SubjectCount(k model.PolicyKey) SubjectCount {
	d := r.desired(k)
	var n SubjectCount
	n.Pods, n.Apart = d.SubjectCount(d.Policy(k))
	if n.All() > 0 || r.None(k) == nil {
		return n
	}
	for _, p := range r.MeantPods(r.Cluster.Policy(k)) {
		if p.PrimaryUDN() != "" {
			n.Apart++
		} else {
			n.Pods++
		}
	}
	return n
}
