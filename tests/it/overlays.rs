//! The official test sets of the Overlay Specification, read where they are.

use std::path::{Path, PathBuf};

use openapi_mcp_filter::json;
use openapi_mcp_filter::overlay::{Application, Overlay};
use serde_json::Value;

use crate::real::shared;

/// Paths in a directory, in order.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn yaml(path: &Path) -> Value {
    json::parse_text(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn the_compliant_sets_give_their_outputs() {
    let Some(sets) = shared("overlay-sets/compliant-sets") else { return };
    let sets = entries(&sets);
    assert!(sets.len() >= 8);
    for set in sets {
        let text = std::fs::read(set.join("overlay.yaml")).unwrap();
        let overlay = Overlay::parse(&text, "overlay").unwrap();
        let document = yaml(&set.join("openapi.yaml"));
        let (output, remarks) = Application::new(document, vec![overlay]).finish().unwrap();
        assert_eq!(remarks, [], "{}", set.display());
        assert_eq!(output, yaml(&set.join("output.yaml")), "{}", set.display());
    }
}

#[test]
fn overlays_are_taken_or_refused_as_the_specification_says() {
    for (version, passing, failing) in [("v1.0", 12, 20), ("v1.1", 13, 22)] {
        let Some(tests) = shared(&format!("overlay-sets/tests/{version}")) else { return };
        let (pass, fail) = (entries(&tests.join("pass")), entries(&tests.join("fail")));
        assert_eq!((pass.len(), fail.len()), (passing, failing), "{version}");
        for path in pass {
            let parsed = Overlay::parse(&std::fs::read(&path).unwrap(), "overlay");
            assert!(parsed.is_ok(), "{}: {parsed:?}", path.display());
        }
        for path in fail {
            let parsed = Overlay::parse(&std::fs::read(&path).unwrap(), "overlay");
            assert!(parsed.is_err(), "{}", path.display());
        }
    }
}
