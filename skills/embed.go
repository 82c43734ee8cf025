// Package skills is the folder of the skills that come with the program, and carries them inside of it.
//
// Each folder here is a skill as agentskills.io describes it: SKILL.md tells a model what it can do and how. A folder may
// also hold REACT_AGENT.md (what only this program needs), scripts and data, pipeline.yaml and scripts/run.py (a skill that
// is driven through phases), and offline.yaml (what the offline model does for it). AGENTS.md says how to write one.
//
// [Files] are what is shipped: by the kind of file, so a new skill is shipped as soon as its folder is here. Tests, caches
// and notes for authors are not.
package skills

import "embed"

// Files holds one folder a skill, with slashes in its paths.
//
//go:embed */*.md */*.yaml */*.js */*.sh */scripts/*.py */scripts/*.sh */prompts/*.md */data/*.json
var Files embed.FS
