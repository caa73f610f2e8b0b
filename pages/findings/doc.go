// Package findings shows what is wrong or dangerous: in policies, and between zones.
package findings
