package kube

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/words"
)

// Why the server did not make a change, apart from *ContestedError and *RejectedError.
var (
	// ErrChanged: the object no longer matches the start of the change. It may also be gone, or exist already.
	ErrChanged = errors.New("was changed meanwhile")
	// ErrGone: the object does not exist.
	ErrGone = fmt.Errorf("does not exist: deleted, or never created: %w", ErrChanged)
	// ErrNoAnswer: the server could not be asked, or the outcome is unknown.
	ErrNoAnswer = errors.New("the API server does not answer")
)

// ContestedError means other managers own fields that a server-side apply wants to change.
type ContestedError struct {
	// By names managers and fields, in the server's words: `kubectl-client-side-apply: .spec.priority`.
	By []string
}

// isOwnConflict reports whether an apply conflicts only with Rung's own edits, another manager of that name.
func (e *ContestedError) isOwnConflict() bool {
	return !slices.ContainsFunc(e.By, func(by string) bool { return !strings.HasPrefix(by, strconv.Quote(FieldManager)) })
}

func (e *ContestedError) Error() string { return "owned by " + strings.Join(e.By, "; ") }

// RejectedError means the server rejected the change: by schema, CEL rule, webhook, quota or missing permission.
type RejectedError struct {
	Code   int    // HTTP status
	Reason string // one line
	Fields []FieldError
	// Remedy is a command that shows more; empty if none does.
	Remedy string
}

// FieldError is the error of one field.
type FieldError struct{ Field, Message string }

func (e *RejectedError) Error() string {
	return e.Reason + words.Between("; ", e.Remedy, "")
}

// maxReason bounds the quoted length of a server's message, in bytes.
const maxReason = 2000

// SingleLine turns a server's message into one clean line.
func SingleLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxReason {
		s = strings.ToValidUTF8(s[:maxReason], "") + " …"
	}
	return words.CleanText(s)
}

// errorOfChange explains a client's error for a change, with the command that checks the permission.
func (c *Cluster) errorOfChange(k model.PolicyKey, v Verb, err error) error {
	err = explainWriteError(k, v, err)
	if no, ok := errors.AsType[*RejectedError](err); ok && no.Code == http.StatusForbidden && strings.Contains(no.Reason, " cannot ") {
		no.Remedy = "see " + c.Kubectl(append([]string{"auth", "can-i"}, v.QuestionFor(k).kubectlWords()...)...)
	}
	return err
}

// explainWriteError explains a client's error for a change.
func explainWriteError(k model.PolicyKey, v Verb, err error) error {
	if err == nil {
		return nil
	}
	var api apierrors.APIStatus
	if !errors.As(err, &api) {
		if errors.Is(err, ErrChanged) || errors.Is(err, model.ErrRejected) {
			return err
		}
		return fmt.Errorf("%w: %w", ErrNoAnswer, errors.New(SingleLine(err.Error())))
	}
	st := api.Status()
	var causes []metav1.StatusCause
	if st.Details != nil {
		causes = st.Details.Causes
	}
	switch {
	case strings.HasPrefix(st.Message, "admission webhook "): // its message counts, whatever its code
	case isConflictOver(k, st):
		if by := fieldManagers(causes); len(by) > 0 {
			return &ContestedError{By: by}
		}
		return fmt.Errorf("the resourceVersion changed: %w", ErrChanged)
	case apierrors.IsAlreadyExists(err) && (st.Details == nil || st.Details.Name == "" || st.Details.Name == k.Name):
		return fmt.Errorf("already exists: %w", ErrChanged)
	case apierrors.IsNotFound(err) && st.Details != nil && st.Details.Name == k.Name && !isOfNamespace(st.Details):
		return ErrGone
	case apierrors.IsInvalid(err) && v == VerbApply &&
		slices.ContainsFunc(causes, func(c metav1.StatusCause) bool { return c.Field == "metadata.uid" }):
		return fmt.Errorf("was deleted and created again: %w", ErrChanged)
	case apierrors.IsInvalid(err) && v == VerbPatch && len(causes) == 0 && st.Message == patchFailed:
		// The test of the old value failed, or its path is gone; the server does not tell which.
		return fmt.Errorf("the test of the old value failed: %w", ErrChanged)
	}
	r := &RejectedError{Code: int(st.Code), Reason: cmp.Or(SingleLine(st.Message), SingleLine(err.Error()))}
	if apierrors.IsInvalid(err) {
		for _, c := range causes {
			f := FieldError{Field: SingleLine(c.Field), Message: SingleLine(c.Message)}
			if f.Field == "<nil>" { // about the whole object
				f.Field = ""
			}
			r.Fields = append(r.Fields, f)
		}
	}
	ofPolicy := PolicyResources[k.Kind].Resource != "" // else the request was not about a policy
	if ofPolicy && apierrors.IsNotFound(err) && !isOfNamespace(st.Details) {
		r.Reason = fmt.Sprintf("the server does not serve %s: is the CRD installed?", PolicyResources[k.Kind].GroupVersion())
	}
	if apierrors.IsUnauthorized(err) {
		r.Reason += "; log in again"
	}
	return r
}

// patchFailed is the server's whole message if a JSON patch does not fit the object.
const patchFailed = "the server rejected our request due to an error in our request"

// isConflictOver reports whether the object changed since it was read, or others own its fields. It is false
// for a conflict over another object, such as a quota.
func isConflictOver(k model.PolicyKey, st metav1.Status) bool {
	d := st.Details
	if st.Code != http.StatusConflict || st.Reason != metav1.StatusReasonConflict {
		return false
	}
	return d == nil || d.Name == "" || d.Name == k.Name || len(fieldManagers(d.Causes)) > 0
}

// isOfNamespace reports whether the missing object is the namespace.
func isOfNamespace(d *metav1.StatusDetails) bool { return d != nil && d.Kind == "namespaces" }

// fieldManagers returns the owners of the fields that an apply wants, each with its field.
func fieldManagers(causes []metav1.StatusCause) (by []string) {
	for _, c := range causes {
		if c.Type != metav1.CauseTypeFieldManagerConflict {
			continue
		}
		who := strings.TrimPrefix(c.Message, "conflict with ")
		by = append(by, SingleLine(who)+": "+SingleLine(c.Field))
	}
	return by
}
