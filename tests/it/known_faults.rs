//! The faults that are known of the vocabulary's first implementation, by their usual numbers, and
//! the tests that show the right behaviour here.

use std::path::Path;

/// Number, fault, tests. Faults of form tools (`editor`) wait for them.
const FAULTS: [(u8, &str, &[&str]); 25] = [
    (
        1,
        "a path value of dots or nothing reaches another endpoint",
        &[
            "path_values_that_would_leave_their_segment_are_refused",
            "test_a_path_value_that_would_vanish_is_refused",
        ],
    ),
    (
        2,
        "excluded fields leak through structured content, its schema, and alternatives",
        &[
            "hidden_fields_are_in_no_output_schema_however_deep",
            "applicators_references_and_maps_are_looked_through",
            "excluded_fields_are_hidden_at_every_depth",
        ],
    ),
    (
        3,
        "structured content contradicts its schema, or is missing",
        &[
            "structured_results_are_valid_in_every_revision",
            "structured_content_follows_the_revision",
            "markdown_results_have_no_output_schema",
        ],
    ),
    (
        4,
        "fixed values always go to the query, and excluded path parameters stay in the path",
        &[
            "fixed_values_go_where_the_parameter_or_property_is_declared",
            "an_excluded_path_parameter_leaves_the_operation_out",
        ],
    ),
    (
        5,
        "an optional compact body cannot be left out, and one of a list cannot be given",
        &["an_optional_compact_body_can_be_left_out", "a_compact_list_is_offered_as_a_list"],
    ),
    (
        6,
        "arguments of one name are lost or refuse the document",
        &[
            "taken_names_get_the_place_then_a_number",
            "one_name_in_two_places_are_two_values",
            "names_that_strict_clients_refuse_are_cleaned_and_restored_in_the_plan",
        ],
    ),
    (
        7,
        "parameters called `fields` or `response_format` drive the rendering",
        &["generated_arguments_leave_the_names_of_the_api_alone"],
    ),
    (
        8,
        "defaults of arrays are lost",
        &["defaults_of_arrays_are_arrays_and_null_defaults_are_none"],
    ),
    (9, "a conflict while a form is saved is not told apart", &[]),
    (
        10,
        "a document that failed once stays out when it comes back unchanged",
        &[
            "failures_are_retried_later_and_later_and_keep_the_text",
            "test_a_missing_upstream_stays_out_and_comes_back",
            "test_last_modified_serves_where_there_is_no_entity_tag",
        ],
    ),
    (
        11,
        "a change of a text alone is not noticed",
        &["every_text_for_agents_is_part_of_the_tool_set"],
    ),
    (
        12,
        "an unknown profile is an internal error",
        &[
            "a_profile_that_no_document_declares_is_refused_unless_one_is_missing",
            "test_a_refused_first_document_is_named_in_the_answer",
        ],
    ),
    (
        13,
        "annotations in some places are not checked, and names that lead nowhere are not reported",
        &[
            "annotations_are_checked_wherever_they_have_a_meaning",
            "annotations_without_a_meaning_are_refused",
            "labels_that_are_not_declared_are_found_everywhere",
            "settings_without_an_effect_are_reported",
            "strict_refuses_the_document_for_anything_found",
        ],
    ),
    (
        14,
        "refused arguments are told without the unknown name, the allowed values or the place",
        &["every_keyword_has_words", "all_violations_are_named"],
    ),
    (
        15,
        "commas, styles, old bounds, status ranges and media types are mistaken",
        &[
            "separators_inside_values_are_encoded",
            "deep_objects_keep_their_name",
            "values_without_explode_are_delimited",
            "boolean_bounds_become_numbers",
            "the_accepted_types_are_those_of_the_first_successful_response",
            "media_types_are_recognised_in_every_spelling",
        ],
    ),
    (
        16,
        "relative servers, server variables and the query of a base URL are lost",
        &[
            "relative_servers_start_at_the_document",
            "the_first_server_counts_with_the_defaults_of_its_variables",
            "the_query_of_the_base_url_is_sent_unless_the_operation_declares_it",
        ],
    ),
    (
        17,
        "sizes have no limits, and redirects carry credentials elsewhere",
        &[
            "any_answer_is_rendered_within_the_limits",
            "a_decoded_body_over_the_limit_is_refused",
            "references_that_double_are_refused",
            "redirects_are_reported_and_not_followed",
        ],
    ),
    (
        18,
        "answers write markdown of their own, and cuts break characters",
        &[
            "no_string_of_an_answer_adds_a_line",
            "every_row_of_a_table_has_the_same_cells",
            "the_limit_counts_utf16_units_before_escaping_and_keeps_pairs_whole",
        ],
    ),
    (
        19,
        "names of JavaScript's object prototype are mishandled",
        &["names_of_object_prototypes_are_ordinary"],
    ),
    (20, "apostrophes are read as quotation marks", &["apostrophes_are_not_quotation_marks"]),
    (
        21,
        "a missing language is replaced by English, and `fr-CA` does not find `fr`",
        &["a_text_is_picked_by_exact_tag_then_base_language_then_first_declared"],
    ),
    (
        22,
        "one operation with a fault refuses the whole document",
        &[
            "faults_are_located_and_stay_with_their_operation",
            "a_clash_names_both_origins_and_costs_the_later_document",
        ],
    ),
    (23, "form sessions of different records are mixed up", &[]),
    (
        24,
        "skills are not trimmed, and their tools are named without the prefix in effect",
        &["golden_skills_and_instructions", "tools_are_shown_as_they_are_offered"],
    ),
    (25, "what a form reads is not limited by profiles, which is not said", &[]),
];

#[test]
fn every_known_fault_has_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for folder in ["src", "tests/it", "tests/wasm", "tests/e2e"] {
        collect(&root.join(folder), &mut texts);
    }
    for (number, fault, tests) in FAULTS {
        for test in tests {
            let heads = [format!("fn {test}("), format!("def {test}(")];
            let is_there = |text: &String| heads.iter().any(|head| text.contains(head));
            assert!(texts.iter().any(is_there), "{number}, {fault}: there is no `{test}`");
        }
        let waits = [9, 23, 25].contains(&number);
        assert_eq!(tests.is_empty(), waits, "{number}, {fault}");
    }
    assert!(FAULTS.iter().map(|fault| fault.0).eq(1..=25));
}

fn collect(folder: &Path, texts: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, texts);
        } else if path.extension().is_some_and(|it| it == "rs" || it == "py") {
            texts.push(std::fs::read_to_string(path).unwrap());
        }
    }
}
