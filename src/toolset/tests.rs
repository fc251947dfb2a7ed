use std::rc::Rc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::tool::{ParameterPlan, Place, Plan, Shape, Source, Style};

const META: Meta = Meta { page_size: 2, ttl_ms: 60_000, cache_private: true };

pub(crate) fn tool(name: &str, more: &Value) -> Tool {
    let mut value = json!({
        "name": name,
        "description": "does it",
        "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}},
        "annotations": {"readOnlyHint": true},
        "plan": {"operation": {
            "upstream": "api", "pointer": "/paths/~1a/get", "method": "GET",
            "basePath": "", "path": "/a", "parameters": [],
            "response": {"maxStringLength": 500, "maxErrorLength": 4000}
        }}
    });
    for (key, member) in more.as_object().unwrap() {
        value[key] = member.clone();
    }
    serde_json::from_str(&value.to_string()).unwrap()
}

#[test]
fn a_tool_survives_the_journey() {
    let mut original =
        tool("a", &json!({"title": "A", "examples": [{"q": "x"}], "paramHeaders": {"q": "Q"}}));
    let Plan::Operation(plan) = &mut original.plan else { panic!() };
    plan.parameters.push(ParameterPlan {
        name: "n".to_owned(),
        place: Place::Query,
        style: Style::Form,
        explode: true,
        allow_reserved: false,
        content: None,
        source: Source::Fixed(
            serde_json::from_str("[1.50,12345678901234567890123,{\"2\":1}]").unwrap(),
        ),
    });
    plan.response.shape.push(Shape {
        items: Some(1),
        prefix_items: vec![0, 3],
        ..Shape::default()
    });
    let contents = Contents { tools: vec![original.clone()], ..Contents::default() };
    let set = ToolSet::open(encode(&contents, &META)).unwrap();
    assert_eq!(set.tool("a").unwrap().unwrap().tool, original);
    assert!(set.tool("A").unwrap().is_none());
}

fn small() -> Contents {
    let file = SkillFile {
        uri: "skill://s/SKILL.md".to_owned(),
        mime_type: "text/markdown".to_owned(),
        content: b"# s".to_vec(),
    };
    let skill = Skill {
        uri: file.uri.clone(),
        frontmatter: json!({"name": "s", "description": "d"}).as_object().unwrap().clone(),
        files: vec![file],
    };
    let output = json!({"title": "B", "outputSchema": {"type": "array"}});
    Contents {
        title: "T".to_owned(),
        version: "1".to_owned(),
        instructions: "i".to_owned(),
        skills: vec![skill],
        tools: vec![tool("b", &output), tool("c", &json!({})), tool("a", &json!({}))],
        directory: None,
    }
}

/// Uses everything there is in a set.
fn use_all(set: &ToolSet) {
    for family in [Family::Basic, Family::Structured, Family::Modern] {
        for listing in [Listing::Tools, Listing::Resources, Listing::Skills] {
            let first = set.list(listing, family, None).unwrap();
            let first: Option<Value> = serde_json::from_slice(&first).ok();
            let next = first.as_ref().and_then(|page| page["nextCursor"].as_str());
            next.map(|cursor| set.list(listing, family, Some(cursor)));
        }
        for uri in ["skill://s/SKILL.md", "skill://s", "x"] {
            set.read(uri, family);
            set.skill(uri, family);
            set.directory(uri, family);
        }
    }
    for name in ["a", "b", "c", ""] {
        let _ = set.tool(name);
    }
    set.title();
    set.version();
    set.instructions_json();
    set.server_info_json();
}

fn names(set: &ToolSet, cursor: Option<&str>) -> (Vec<String>, Option<String>) {
    let page = set.list(Listing::Tools, Family::Modern, cursor).unwrap();
    let page: Value = serde_json::from_slice(&page).unwrap();
    let names = page["tools"].as_array().unwrap().iter();
    (
        names.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect(),
        page["nextCursor"].as_str().map(str::to_owned),
    )
}

#[test]
fn the_digest_of_a_set_can_be_read_without_opening_it() {
    let bytes = encode(&small(), &META);
    let read = digest(&bytes).copied();
    assert_eq!(read.as_ref(), Some(ToolSet::open(bytes).unwrap().digest()));
    assert_eq!(digest(b"oamcp"), None);
}

#[test]
fn tools_are_listed_in_their_order_and_found_by_name() {
    let set = ToolSet::open(encode(&small(), &META)).unwrap();
    let (first, next) = names(&set, None);
    assert_eq!(first, ["b", "c"]);
    assert_eq!(names(&set, next.as_deref()), (vec!["a".to_owned()], None));
    for name in ["a", "b", "c"] {
        assert_eq!(set.tool(name).unwrap().unwrap().tool.name, name);
    }
    assert!(set.tool("d").unwrap().is_none());
    assert_eq!((set.title(), set.version(), set.tool_count()), ("T", "1", 3));
}

#[test]
fn a_tool_is_decoded_once_and_a_page_put_together_once() {
    let set = ToolSet::open(encode(&small(), &META)).unwrap();
    let open = || set.tool("b").unwrap().unwrap();
    assert!(Rc::ptr_eq(&open(), &open()));
    assert!(open().wraps_result);
    let page = || set.list(Listing::Tools, Family::Basic, None).unwrap();
    assert!(Rc::ptr_eq(&page(), &page()));
}

#[test]
fn entries_that_are_equal_are_stored_once() {
    let count = |more: &Value| {
        let tools = vec![tool("a", more)];
        let bytes = encode(&Contents { tools, ..Contents::default() }, &META);
        bytes.windows(7).filter(|window| *window == b"does it").count()
    };
    assert_eq!(count(&json!({})), 1);
    assert_eq!(count(&json!({"title": "A"})), 2);
    assert_eq!(count(&json!({"outputSchema": {"type": "object"}})), 2);
    assert_eq!(count(&json!({"outputSchema": {"type": "array"}})), 3);
}

#[test]
fn the_same_contents_give_the_same_bytes_and_cursors() {
    assert_eq!(encode(&small(), &META), encode(&small(), &META));
    let cursor = |contents: &Contents, meta: &Meta| {
        names(&ToolSet::open(encode(contents, meta)).unwrap(), None).1.unwrap()
    };
    let same = cursor(&small(), &META);
    assert_eq!(same, cursor(&small(), &META));
    let mut other = small();
    other.tools[2].description.push('!');
    let set = ToolSet::open(encode(&other, &META)).unwrap();
    assert_eq!(set.list(Listing::Tools, Family::Modern, Some(&same)), Err(BadCursor));
    let set = ToolSet::open(encode(&small(), &Meta { page_size: 1, ..META })).unwrap();
    assert_eq!(set.list(Listing::Tools, Family::Modern, Some(&same)), Err(BadCursor));
}

#[test]
fn cursors_that_were_not_given_out_are_refused() {
    let set = ToolSet::open(encode(&small(), &META)).unwrap();
    let tools = |offset| cursor::write(set.digest(), Listing::Tools, offset);
    assert!(set.list(Listing::Tools, Family::Modern, Some(&tools(2))).is_ok());
    let skills = cursor::write(set.digest(), Listing::Skills, 2);
    for made_up in [&tools(0), &tools(1), &tools(4), &tools(u32::MAX), &skills, "x", " ", "===="] {
        let page = set.list(Listing::Tools, Family::Modern, Some(made_up));
        assert_eq!(page, Err(BadCursor), "{made_up}");
    }
}

#[test]
fn an_empty_set_has_empty_lists() {
    let meta = Meta { page_size: 0, ttl_ms: 5, cache_private: false };
    let set = ToolSet::open(encode(&Contents::default(), &meta)).unwrap();
    let list = |family| set.list(Listing::Tools, family, None).unwrap();
    assert_eq!(list(Family::Basic).as_ref(), br#"{"tools":[]}"#);
    let modern: Value = serde_json::from_slice(&list(Family::Modern)).unwrap();
    assert_eq!((&modern["ttlMs"], &modern["cacheScope"]), (&json!(5), &json!("public")));
    assert!(!set.has_skills());
    assert_eq!(set.instructions_json(), None);
}

#[test]
fn a_value_that_was_cut_or_altered_is_refused() {
    let bytes = encode(&small(), &META);
    for length in 0..bytes.len() {
        assert!(ToolSet::open(bytes[..length].to_vec()).is_err(), "cut at {length}");
    }
    for position in 0..bytes.len() {
        for flip in [1, 0x80, 0xff] {
            let mut altered = bytes.clone();
            altered[position] ^= flip;
            assert!(ToolSet::open(altered).is_err(), "byte {position}");
        }
    }
    assert_eq!(ToolSet::open([&bytes[..], b"x"].concat()).unwrap_err(), OpenError::Damaged);
    assert_eq!(ToolSet::open(b"{\"tools\":[]}".to_vec()).unwrap_err(), OpenError::Foreign);
    let mut newer = bytes;
    newer[7] += 1;
    assert_eq!(ToolSet::open(newer.clone()).unwrap_err(), OpenError::Format(newer[7]));
}

proptest! {
    /// A wrong index with a right checksum: it opens or not, and what opens can be used.
    #[test]
    fn any_index_can_be_used(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut bytes = encode(&small(), &META);
        for (position, value) in changes {
            let body = bytes.len() - 16;
            // Mostly the index, which is what the offsets are in.
            bytes[16 + position.index(body) % 400] = value;
        }
        let sum = container::checksum(&bytes[16..]);
        bytes[8..16].copy_from_slice(&sum.to_le_bytes());
        if let Ok(set) = ToolSet::open(bytes) {
            use_all(&set);
        }
    }
}
