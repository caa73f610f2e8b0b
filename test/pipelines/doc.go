// Package pipelines runs the recipes of docs/pipelines.md and the files that they use, as they
// stand: steps of the GitHub action, scripts of GitLab's job, hooks, and containers of Jobs, in
// repositories made of the demo's files. One repository is in order and must pass; in the other
// a policy and a statement are wrong, and nothing may pass.
//
// It has only tests.
package pipelines
