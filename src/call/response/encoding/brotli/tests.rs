use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::*;

/// What other tools made of [`plain`], with different settings of quality, window and distances.
const COMPRESSED: &[(&str, &str)] = &[
    (
        "text",
        "G8IA4C0KbMcXw5BsqMyX+NZtzUJ1KixBXGJaBCXNTePovNHJObQUnRyw/wukPOI/zQLF3MbW91XWkRDq8JWpAZrY8OgdiXuYLA/Vn8zdvXJlOElq8TuJncii1eisKuUDFxk=",
    ),
    (
        "text",
        "G8IAAASibaZ6fFIQwSYGSzIUhR8+jBn2sa/06eSAvS+QQNsSblHYlrQowtyJ8zyopRd3bCVt41yNgz/zv+lL+L+Sa8TCnuOsJaitWz3rtUhQcq/nZHqt+laQCQ4zmw05395LIsrOg9BFuprYw5EM",
    ),
    (
        "items",
        "G8RCEZWhFkWNFIs8gNYJWt7+ogLNlBQKmdbMh65HtbfBX1OzmO2lbhEYha0plfZWOl0NQrY2rET6vMHmRoI32LwhEvy3Fuv9R2F+ELYVBa8UoyVd9LAMuOGBgyA7LUihXe6DTW4B8bH2hXBr3OYhJL4tG0b7SeJWf+FHqP2De7mdHLe/t5WiL3wP3y8PunEtzqbgeFWhH/Ht9HiKW//LED7n93FdxHcYmyLjJ4muy1wq1sFDAsZl/JQGAMYxT6BTSqYDGt8jrPGEYCvqDykJ45kFnA1PrRXt8HIS3nhAHN/vsSECx3/KWYBuVqgAuhRLHITXd66OSEN/L3EthUK0IWKIX39jnNBU+H5LmTRcM+m4eaZFzKSBm8k4kskpJRMTtFPRgjEyxVDS1b0nuuBPd+JXFxi64KQrZF3A0wV4XQLoFoT8PstJIwepHGTkkyfyu1cOLnKiyoFGDkh9gdUvGH2w0yd9fVDo3yP9yRv9ga/rg3t9clDeJSXgKgmiLLQpH6RSjErQVYJESb7KwU+q76aanNRAVgOemuDVd0BdEGoyq0FPDfJaEWgHT7TAqyUXLVC1d42WkFqA1RYeLVmxhCG+IYyGgjBaIsJY8JYwFvg6YXTcE0bDgTAaJMJooQmjAcfACXq9KbyUGwoF4yBAQ5cALQkB+fl3EGDBjwRoMQnQcEuABoVAHSyBGvAEagAIdIogEMNMoPEegVryBGoIEHSCJNCTjS0Fd1KhSo1GKkipwEorj1SsUrGRmlIqstqDD9obX9cW99rioG0kbUBrC5x2Z027gdAWk5zUcpHIxVe++UEuTDm4lRtFLli54MgNyHyAUsxK01OKvFIEzIpQClsp7pRGrxSCLqB0DVa38eiKVddsdEGpK7K6mw+6C1dd4VGTo1pIakGrDU7dGOoCUm0mtajVIqc2//qDB/rC1De3+kLRF6w+4egLkP8F+mbRB+3Eee9MnCQYOQti4gT2xEnuJs67fuIEwsRJqIkTwBNnIUxEsZ+IYDMRQTkRSXYiDj5MxH/XiUg8ExEcJyLQTkTCTOQ7OpELYyJXkBMZTBMZ1BNZ5CYy+J/IgwcTmVgTWZylQCc1rFRwpAKkvkEKFqlopaYjFaF08Ys2cbTFnbbQaxtBW1DaANbuBG2x1xaDtqnkIJYvPsg3rnLhkYujnGjlgpELVG4w8gZRgq3S1EqRU4p/5eaBElhKcVYanVLwlYLQJRDvC3TFomtaXdHRBaHu5hdd4eiKq665UQNRLSi1gdWNoBZ7NRnUolKLWG3+1As/+sDQN0d9odUXjL5B9QFGv0H0zVZfNPqHFA==",
    ),
    (
        "items",
        "oSAWgiS+/vB55SEoejjjnmn7Exg6O4d4VQhKcKHq931770tOxCsFzuzG4DASRbNnBFfMcth+pxUfqtKR1ZLOsDutiwJD9ADsKPT//8/nr3/4fHnffP7123/+8fPl88P///enr9/nm899f//58uPnVx/+4fPzN59///3z5X8Y7/77zVd/Cvj9cN9fHOQNL2/M2xH4/KsN+m+TOc3B4H2nHfIsuXx8T0KNwBXm+S2F3Sv8WziDgya8KWvcuyuELuARxhHueU4K5zngVIUtYRiz+YimuZ/nJlShJAwl5h2d5t4FxNyuTTR4d6JID2CZqgAlHkmZen+TWzOlsJeoLLROCiOuUwpNkpB5nxPJvfcgpeCXZIgDyT1dSHU7GnWFi9Q/r5BemMIxyVijya6nD3IKnWQjt5DdBwM5BStZUALZPceQ6wDue7IBcCH7dKEo++2XFGN7TXE/u1JSmJdilIXiOg6UFNwUQyso7vUIJQfIkSrAb6H69FxR98JNqrE3UN0v2tTcPko1GkN1nxHUFHyphgFoXEsPmhygRxoD3QXHn5+i2b/CtzTCMV8Sjfu1myaFaRqjS2jc9wHa3B6mNayD1r2y0OYAZ6Q1cF1oX5s1EGhzgba0ykXnOSns8JBTCnPphMH7nOjclwddCnE6wx3o3GsLXW7XS2eQhm7uYUGXC7qlM25xovfhzfW9d2fuw6vC4j684Yz2XKdpNHPMqQqZ+/CG4Ms/6j68aRg+4lQF6T684TC8sdP7I2AAI1++JVxyJ0rAOC5TGusEZ9qTnRS6uT1TGn0JTqhznTRsHnNKQ000uO/LIk4BdxBpAIlHNEVs4VKIKewkKnOeRIWBIKZRJSoJILn3PEhpaJMUvYWkQA6kasBJJ5oitXBrSGncS1KWbJLCGJBTaJOVzEFW8C3kNIxkRSpk90wgVwMTfYmK3AfAIu+NU4qxeU1RmB6UNLopSt9AUQgLJQU7RVENRYErKHWCb6QoIBaqT/cr6t64pCo721SFuWlqGoNUowpUhcRQ0/CkKjpCVRAATQ5QI40C30LjgW7R7I3bNMq9QuN+maZJY5xGaQWNQpbQpJGX1jAftArSQZsTzEirYGbB9YIW7X4BtrTOyac6aWzUUxozaZUepHNfvPtDl0aYzrH3XCcFdVa6nOCOdAZf/ll0UwANXa7wls658r5O7nfBfXy5fd9dfMbgzvU+Po1qmVJI7uJzPO1JQZf7M6Ug3MXnUDrXaRoI1ylXzJYg3L1/1n2Exr074pTGMkEZz30lKLSFkEI2wcnzuU4appjSkBMUFk2ce+y7P8h8jS3xDPZUpzZOc8QpjU2iMZN/FlGj53VKo0hUIq5EBQeQUtAkKdyDNAW+hVQNMOmIW6TeXwMpjd0kZZ8kKQwJKY062UgfZAXPQU5Dl6wIA1mBKuQqIMlHxkVu4U6Q0zgkKys0xf3kQUmjTVGyC0Uhb6CkYaYYcqAosIZSDWyKgkcoHiCKuhfOqcrmmqows1DT6KUqRaG6jwI1DSdV0QiqAo9w8zVGGgN6C40HfEWzN65plN2BRmFfmyaFYRqlNjQKqaBJw5tG8QO07sUHbU5QI62C7ELrgZmi3Rt3aY1DoFVYuWnTmKRVOoRWIQfoUgjSKeZBpyAvdDnBjnQKtgude7xAlyu4pXPOOtNJY8tjTrlhFg==",
    ),
    (
        "items",
        "G8RCAMCyPe88RpGnv7iZ3ZnZrZFYgmhoSwilJRQUQQqMBnqX8drXeoVgDSfcuG/d9DdoF04kCz7yRQr7SFEUUbeCQp2w4Nqd52AoudYr/qc/19eH6+7crpf774/X3fXh/7+n9+e6Xb/uv7xddx+vz8+vb48P16fb9frtuvv18/fj39u7LwX+XuzP5+uPx5f2z9P98xsEPz41ot5HAaawp+iPOxb6jlb97Bfh90Knh8jHu0rMz0vsYt8zSDu0gly+gz2bQiME4FTAhS3Pld4HtrMpzYBxBQwZ8Cp4h1TzQE5vSjPArIBBnXcrvT9vY9eK63iN4sBNky1pf4LZlL4l3QSgFC968mTJvrPRpuAdkk3ArOIwyJMleyDFXSnWNFiyUTUo4Naze6oSzgM9uymtgD6qhmLarVXZA2zvSvM4LOv05LmS/UrtSF+SaAKWqobpNNeq7fU40qhucJbqQZsnS9YgDNUNXUv1UAK24B4KNQGM6gasblS3ANlJ9YZ6lI6vlELGSgEZpYAcpRazKR1XKwW0lUJqlALqKAWQyhFo5QbtnnSeCdgoD7Npr965v26Ad6VY83pKNsqDlSdL1qAM5YbepTw00m6tYq9XBRuVBvZUGeA8WbQFsUZmwZeUnCKWKgHTKgGxSohHpcEHao6LakK61ASU1AQwakKwao4DajaUbNQMqzxXsgcm3JXOMw1Z2agdAvDq2dQ+YO6mFGka1LJRO7TTbq021DTU/Kh9vc5Q+4VcebKknAZ0sJG74E9ty05yusPpx/fc4Qhnx9R/73DyU0jqDkc8T1jZl1LUDlWB73BGR2+WusNBQOMORz47qhZ8h5OoQqg7HA1dURHOEq6hoMy34CAsCJ9iTp4sVoQblmGnRHMZhM0EYYo8xz0lisIuRlhNOJdOOdcuDKf3JflElLFbghLAR1gb7sCGH5weKIEtlbRK2BMrb0tpa8P0ErCZ4EvRJyLAArGHS6BF+k9Vibehk7twelQJ9NTp+HaQAQinB0rg3IAvuYgk1LGTurBS3LGn4WtnQgcUfyLSWC52cAlY5fniazvdSEARDey2JgiThBqoAIRFYw+UwLlN0CUJ7UDuwqrxjkUJ2AG+8O8LS8cdcfjB6eESsM77Ft8OMXnhdOgSsDXBlxTUwYk/WD/2YAlY5Anju6FzF64dixKwM0GXwk9EFqvIHrmDBXT1L/iWfERnnw4peWEh2aNLwNaEDkhCHYUAhLVkB5aARZ4vvjucu3DtWJTAlz0CmuBL8SdgiDVlj5SA9YRvKXl1aIBlZQ+VgG0QAvgIS8sdVQEIpwdLwCIvWnx3bPLitWBiuy4m2FL4iRhhedkjJWCddy2+DUbywumhErA9wZcU1FE+N2OR2YMlYAmEyUekoQ4wecld8WCd+bqY0AGFn4CZkpVmh5G0SfMtaQ2u5FVyeUjS9gRhktDrtQfnN3lWDEnLCb6koR24dVxyrHg0zx34gou41rzi4nHJ5jGSLencVfLysYdLdgdJWk3wxfizgQfnN4kVQ9IyTxivIHsA+4pH86SfCbYUfiK28BLyjik1S3YkuavkPWQXY/ewpNWEDOjcHNAq2R1K0jIvWbyN7MGS3QOS52eCL4WfgDUOj5HsmZO70DrCgcvDklbgXPARXkz26JLDoyR7CskLrYPVcDlA8vxM0KX4E7GLY8dCsmcqd6FtyA3lktjhWrOk1QRfPDh7HKkVXbKlOnuhddANlwckLSaci2efDdgWS80bFpI9o+SF1pHEH1welrSeIIwHZ4fC7tGSPZXshXeWPXhPC2gFsFsAYfARVptX3Fou+bdjIWknr4Mq8SdiDnaHSFpP8KWTc4SM95d39JC0nSeMN5gdqmT3oKTFBF/S0I4kLy41r4Dkde8wA19yEcWfiCksNntE0nrCt5S8dugqc8nhIEnbeR2gdVQHIFwelLSYIEwaasDJXnyjecXEZXeCLsWfiDFeav6dFJsB",
    ),
];

fn plain(name: &str) -> String {
    if name == "text" {
        return "The Association of International Universities (§1.8) is not responsible for \
                Information Technology, and that is the first of these: \"Republic\", \
                <a href=\"http://www.example.com/\">Government</a>. "
            .to_owned();
    }
    let item = |i: u32| {
        let tag = if i.is_multiple_of(3) { "closed" } else { "open" };
        let number = i * 7919 % 1000;
        let ok = i.is_multiple_of(5);
        format!(r#"{{"id":{i},"name":"Réf {number}","tags":["{tag}"],"ok":{ok}}}"#)
    };
    (0..300).map(item).collect::<Vec<_>>().join(",\n")
}

fn tables() -> Vec<u8> {
    miniz_oxide::inflate::decompress_to_vec(TABLES).unwrap()
}

#[test]
fn streams_of_another_tool_are_read() {
    let tables = tables();
    assert_eq!(tables.len(), TABLES_SIZE);
    for (name, data) in COMPRESSED {
        let data = STANDARD.decode(data).unwrap();
        let found = decode(&data, 100_000, &tables).unwrap();
        assert_eq!(String::from_utf8(found).unwrap(), plain(name));
    }
    assert_eq!(decode(&[0x3B], 100, &tables).unwrap(), b"");
}

#[test]
fn a_bomb_stops_at_the_limit() {
    let tables = tables();
    for (name, data) in COMPRESSED {
        let (data, length) = (STANDARD.decode(data).unwrap(), plain(name).len());
        assert!(decode(&data, length, &tables).is_ok());
        assert_eq!(decode(&data, length - 1, &tables), Err(Failure::TooLarge));
    }
}

#[test]
fn damaged_streams_are_refused_or_read_within_the_limit() {
    let tables = tables();
    for (_, data) in COMPRESSED {
        let data = STANDARD.decode(data).unwrap();
        for at in 0..data.len() {
            assert!(decode(&data[..at], 100_000, &tables).is_err());
            let mut damaged = data.clone();
            damaged[at] ^= 1 << (at % 8);
            if let Ok(found) = decode(&damaged, 100_000, &tables) {
                assert!(found.len() <= 100_000);
            }
        }
    }
}

#[test]
fn codes_without_data_are_no_bomb() {
    let tables = tables();
    let mut seed = 1_u64;
    let noise = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        seed.to_be_bytes()[0]
    });
    let noise: Vec<u8> = noise.take(4_000).collect();
    for start in 0..noise.len() {
        drop(decode(&noise[start..], 10_000, &tables));
    }
}
