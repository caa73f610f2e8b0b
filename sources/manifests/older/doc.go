// Package older turns AdminNetworkPolicies and their baselines that are written in the forms of
// the API's first iterations into today's form
// (older-forms.md#the-first-form-of-adminnetworkpolicy), and says what of them no object of
// today says.
//
// Invariants: a tree is changed only by ModerniseTree and ReadOlder; comments of a text are
// kept where the text can be changed in place.
//
// It imports model and manifests/yamltree. sources/manifests imports it.
package older
