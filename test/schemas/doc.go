// Package schemas holds texts against the schemas that others publish for reports: of SARIF 2.1.0 and
// of JUnit. published/README.md says where they are from. Only tests import it.
package schemas
