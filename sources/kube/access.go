package kube

import (
	"context"
	"fmt"
	"strings"
	"time"

	authv1 "k8s.io/api/authorization/v1"

	"rung/model"
	"rung/model/words"
)

// AccessQuestion asks whether an action is allowed.
type AccessQuestion struct {
	Verb, Group, Resource, Subresource string
	// Namespace is empty for all namespaces and for cluster-scoped resources.
	Namespace string
	Name      string // empty for all objects
}

// QuestionFor asks whether this change of a policy is allowed; without a verb, whether reading it is.
func (v Verb) QuestionFor(k model.PolicyKey) AccessQuestion {
	r := PolicyResources[k.Kind]
	q := AccessQuestion{Verb: string(v), Group: r.Group, Resource: r.Resource, Namespace: k.Namespace}
	switch v {
	case VerbApply:
		q.Verb = string(VerbPatch)
	case "":
		q.Verb = "get"
	}
	return q
}

// Target returns the resource as RBAC rules name it: "pods/exec".
func (q AccessQuestion) Target() string {
	what := q.groupResource()
	if q.Subresource != "" {
		what += "/" + q.Subresource
	}
	return what
}

func (q AccessQuestion) groupResource() string {
	return q.Resource + words.Between(".", q.Group, "")
}

// String returns the question as arguments of kubectl auth can-i.
func (q AccessQuestion) String() string { return words.ShellJoin(q.kubectlWords()...) }

func (q AccessQuestion) kubectlWords() []string {
	words := []string{q.Verb, q.groupResource()}
	if q.Name != "" {
		words[1] += "/" + q.Name
	}
	if q.Subresource != "" {
		words = append(words, "--subresource="+q.Subresource)
	}
	if q.Namespace != "" {
		words = append(words, "-n", q.Namespace)
	}
	return words
}

// AccessAnswer is the server's answer.
type AccessAnswer struct {
	Allowed bool
	// Reason is the server's, clean, often empty.
	Reason string
	At     time.Time
}

// accessTime is how long an answer is reused.
const accessTime = time.Minute

// maxAnswers bounds the answers kept.
const maxAnswers = 1000

// MayDo asks the API server whether the user may do something. An answer is kept for a minute; an error means
// no answer.
func (c *Cluster) MayDo(ctx context.Context, q AccessQuestion) (AccessAnswer, error) {
	c.answersMu.Lock()
	a, ok := c.answers[q]
	c.answersMu.Unlock()
	if ok && time.Since(a.At) < accessTime {
		return a, nil
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	review := &authv1.SelfSubjectAccessReview{Spec: authv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authv1.ResourceAttributes{
		Verb: q.Verb, Group: q.Group, Resource: q.Resource, Subresource: q.Subresource, Namespace: q.Namespace, Name: q.Name}}}
	got, err := c.Builtin().Review(ctx, review)
	if err != nil {
		return AccessAnswer{}, fmt.Errorf("ask whether %s is allowed: %w", q, explainWriteError(model.PolicyKey{}, VerbCreate, err))
	}
	reason := SingleLine(got.Status.Reason) + "; " + SingleLine(got.Status.EvaluationError)
	a = AccessAnswer{Allowed: got.Status.Allowed && !got.Status.Denied, Reason: strings.Trim(reason, "; "), At: time.Now()}
	c.answersMu.Lock()
	defer c.answersMu.Unlock()
	if c.answers == nil || len(c.answers) >= maxAnswers {
		c.answers = map[AccessQuestion]AccessAnswer{}
	}
	c.answers[q] = a
	return a, nil
}
